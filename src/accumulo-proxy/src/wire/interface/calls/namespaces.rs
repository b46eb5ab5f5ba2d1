//! Calls on namespaces.

#[rustfmt::skip]
macro_rules! namespace_calls { ($then:ident) => { $then! {
    NamespaceOperations<'_>;

    /// Returns the name of the namespace of the system tables: `accumulo`.
    fn system_namespace() -> String;
    "systemNamespace" SystemNamespace() -> String, [], Read, Call;

    /// Returns the name of the namespace of tables without a namespace in their name: empty.
    fn default_namespace() -> String;
    "defaultNamespace" DefaultNamespace() -> String, [], Read, Call;

    /// Returns the names of all namespaces, including the default and the system namespace.
    fn list() -> BTreeSet<String>;
    "listNamespaces" ListNamespaces(token: Bytes) -> Vec<String>, [Accumulo, Security], Read, Call;

    /// Checks whether a namespace exists.
    fn exists(namespace: &str) -> bool, about namespace;
    "namespaceExists" NamespaceExists(token: Bytes, namespace_name: String) -> bool,
        [Accumulo, Security], Read, Call;

    /// Creates a namespace.
    fn create(namespace: &str) -> (), about namespace;
    "createNamespace" CreateNamespace(token: Bytes, namespace_name: String) -> (),
        [Accumulo, Security, NamespaceExists], Once, Wait;

    /// Deletes a namespace, which must not contain tables.
    fn delete(namespace: &str) -> (), about namespace;
    "deleteNamespace" DeleteNamespace(token: Bytes, namespace_name: String) -> (),
        [Accumulo, Security, NamespaceNotFound, NamespaceNotEmpty], Once, Wait;

    /// Renames a namespace and thereby its tables.
    fn rename(namespace: &str, new_name: &str) -> (), about namespace;
    "renameNamespace" RenameNamespace(
        token: Bytes, old_namespace_name: String, new_namespace_name: String
    ) -> (), [Accumulo, Security, NamespaceNotFound, NamespaceExists], Once, Wait;

    /// Sets a property of a namespace, as
    /// [the method for tables](crate::TableOperations::set_property) does.
    fn set_property(namespace: &str, property: &str, value: &str) -> (), about namespace;
    "setNamespaceProperty" SetNamespaceProperty(
        token: Bytes, namespace_name: String, property: String, value: String
    ) -> (), [Accumulo, Security, NamespaceNotFound], Repeat, Call;

    /// Removes a property of a namespace, so that the value of the system applies. Succeeds also if
    /// the property is not set.
    fn remove_property(namespace: &str, property: &str) -> (), about namespace;
    "removeNamespaceProperty" RemoveNamespaceProperty(
        token: Bytes, namespace_name: String, property: String
    ) -> (), [Accumulo, Security, NamespaceNotFound], Repeat, Call;

    /// Returns the properties of a namespace, which apply to its tables unless a table sets its
    /// own: those of the namespace, and for the others those of the system and Accumulo's defaults.
    fn properties(namespace: &str) -> BTreeMap<String, String>, about namespace;
    "getNamespaceProperties" GetNamespaceProperties(token: Bytes, namespace_name: String)
        -> BTreeMap<String, String>, [Accumulo, Security, NamespaceNotFound], Read, Call;

    /// Returns the id of each namespace by its name.
    fn id_map() -> BTreeMap<String, String>;
    "namespaceIdMap" NamespaceIdMap(token: Bytes) -> BTreeMap<String, String>,
        [Accumulo, Security], Read, Call;

    /// Attaches an iterator to all tables of a namespace, as
    /// [the method for tables](crate::TableOperations::attach_iterator) does.
    fn attach_iterator(namespace: &str, iterator: &IteratorSetting, scopes: &[IteratorScope])
        -> (), about namespace;
    "attachNamespaceIterator" AttachNamespaceIterator(
        token: Bytes, namespace_name: String, setting: IteratorSetting,
        scopes: BTreeSet<IteratorScope>
    ) -> (), [Accumulo, Security, NamespaceNotFound], Once, Call;

    /// Removes an iterator from these scopes of a namespace.
    fn remove_iterator(namespace: &str, name: &str, scopes: &[IteratorScope])
        -> (), about namespace;
    "removeNamespaceIterator" RemoveNamespaceIterator(
        token: Bytes, namespace_name: String, name: String, scopes: BTreeSet<IteratorScope>
    ) -> (), [Accumulo, Security, NamespaceNotFound], Once, Call;

    by hand iterator;
    "getNamespaceIteratorSetting" GetNamespaceIteratorSetting(
        token: Bytes, namespace_name: String, name: String, scope: IteratorScope
    ) -> Option<IteratorSetting>, [Accumulo, Security, NamespaceNotFound], Read, Call;

    /// Returns the iterators of a namespace by name, each with its scopes.
    fn iterators(namespace: &str) -> BTreeMap<String, BTreeSet<IteratorScope>>, about namespace;
    "listNamespaceIterators" ListNamespaceIterators(token: Bytes, namespace_name: String)
        -> BTreeMap<String, BTreeSet<IteratorScope>>,
        [Accumulo, Security, NamespaceNotFound], Read, Call;

    /// Checks whether an iterator can be attached. If it cannot, the error contains the reason. It
    /// cannot if its name or priority is already in use.
    fn check_iterator_conflicts(
        namespace: &str, iterator: &IteratorSetting, scopes: &[IteratorScope]
    ) -> (), about namespace;
    "checkNamespaceIteratorConflicts" CheckNamespaceIteratorConflicts(
        token: Bytes, namespace_name: String, setting: IteratorSetting,
        scopes: BTreeSet<IteratorScope>
    ) -> (), [Accumulo, Security, NamespaceNotFound], Read, Call;

    /// Adds a constraint, a class on the servers that accepts or rejects each mutation, to the
    /// tables of a namespace, and returns its number.
    ///
    /// A table that has its own constraint with the same number does not get the constraint. Every
    /// table is created with a constraint of number 1 (`DefaultKeySizeConstraint`), and the first
    /// constraint of a namespace gets the number 1.
    fn add_constraint(namespace: &str, class: &str) -> i32, about namespace;
    "addNamespaceConstraint" AddNamespaceConstraint(
        token: Bytes, namespace_name: String, constraint_class_name: String
    ) -> i32, [Accumulo, Security, NamespaceNotFound], Once, Call;

    /// Removes the constraint with this number. A repetition is not safe: the number may have been
    /// reused.
    fn remove_constraint(namespace: &str, number: i32) -> (), about namespace;
    "removeNamespaceConstraint" RemoveNamespaceConstraint(
        token: Bytes, namespace_name: String, id: i32
    ) -> (), [Accumulo, Security, NamespaceNotFound], Once, Call;

    /// Returns the numbers of the constraints, by class.
    fn constraints(namespace: &str) -> BTreeMap<String, i32>, about namespace;
    "listNamespaceConstraints" ListNamespaceConstraints(token: Bytes, namespace_name: String)
        -> BTreeMap<String, i32>, [Accumulo, Security, NamespaceNotFound], Read, Call;

    /// Checks whether the servers can load *and instantiate* a class as `as_type`, on the class
    /// path of the namespace. See [the method for tables](crate::TableOperations::test_class_load)
    /// for the meaning of `false`.
    fn test_class_load(namespace: &str, class: &str, as_type: &str) -> bool, about namespace;
    "testNamespaceClassLoad" TestNamespaceClassLoad(
        token: Bytes, namespace_name: String, class_name: String, as_type_name: String
    ) -> bool, [Accumulo, Security, NamespaceNotFound], Read, Call;
} } }

pub(crate) use namespace_calls;
