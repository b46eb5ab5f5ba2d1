//! Calls on namespaces.

#[rustfmt::skip]
macro_rules! namespace_calls { ($then:ident) => { $then! {
    NAMESPACES, "Namespaces", NamespaceOperations<'_>;

    /// Returns the name of the namespace of the system tables: `accumulo`.
    fn system_namespace() -> String;
    "systemNamespace" (SystemNamespaceRequest, SystemNamespaceReply), Read, Call, {}
        -> value(String), [];

    /// Returns the name of the namespace of tables without a namespace in their name: empty.
    fn default_namespace() -> String;
    "defaultNamespace" (DefaultNamespaceRequest, DefaultNamespaceReply), Read, Call, {}
        -> value(String), [];

    /// Returns the names of all namespaces, including the default and the system namespace.
    fn list() -> BTreeSet<String>;
    "listNamespaces" (ListNamespacesRequest, ListNamespacesReply), Read, Call, { 1: token: Bytes }
        -> value(Vec<String>), [1: Accumulo, 2: Security];

    /// Checks whether a namespace exists.
    fn exists(namespace: &str) -> bool, about namespace;
    "namespaceExists" (NamespaceExistsRequest, NamespaceExistsReply), Read, Call,
        { 1: token: Bytes, 2: namespace_name: String } -> value(bool), [1: Accumulo, 2: Security];

    /// Creates a namespace.
    fn create(namespace: &str) -> (), about namespace;
    "createNamespace" (CreateNamespaceRequest, CreateNamespaceReply), Once, Wait,
        { 1: token: Bytes, 2: namespace_name: String }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceExists];

    /// Deletes a namespace, which must not contain tables.
    fn delete(namespace: &str) -> (), about namespace;
    "deleteNamespace" (DeleteNamespaceRequest, DeleteNamespaceReply), Once, Wait,
        { 1: token: Bytes, 2: namespace_name: String }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound, 4: NamespaceNotEmpty];

    /// Renames a namespace and thereby its tables.
    fn rename(namespace: &str, new_name: &str) -> (), about namespace;
    "renameNamespace" (RenameNamespaceRequest, RenameNamespaceReply), Once, Wait,
        { 1: token: Bytes, 2: old_namespace_name: String, 3: new_namespace_name: String }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound, 4: NamespaceExists];

    /// Sets a property of a namespace. The servers apply it within about a second. Accumulo checks
    /// few values: it accepts a class that does not exist, and fails when the class is needed. It
    /// rejects a name that is not a table property.
    fn set_property(namespace: &str, property: &str, value: &str) -> (), about namespace;
    "setNamespaceProperty" (SetNamespacePropertyRequest, SetNamespacePropertyReply), Repeat, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: property: String, 4: value: String }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Removes a property of a namespace, so that the value of the system applies. Succeeds also if
    /// the property is not set.
    fn remove_property(namespace: &str, property: &str) -> (), about namespace;
    "removeNamespaceProperty" (RemoveNamespacePropertyRequest, RemoveNamespacePropertyReply),
        Repeat, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: property: String }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Returns the properties of a namespace, which apply to its tables unless a table sets its
    /// own: those of the namespace, and for the others those of the system and Accumulo's defaults.
    fn properties(namespace: &str) -> BTreeMap<String, String>, about namespace;
    "getNamespaceProperties" (GetNamespacePropertiesRequest, GetNamespacePropertiesReply),
        Read, Call,
        { 1: token: Bytes, 2: namespace_name: String }
        -> value(BTreeMap<String, String>), [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Returns the id of each namespace by its name.
    fn id_map() -> BTreeMap<String, String>;
    "namespaceIdMap" (NamespaceIdMapRequest, NamespaceIdMapReply), Read, Call, { 1: token: Bytes }
        -> value(BTreeMap<String, String>), [1: Accumulo, 2: Security];

    /// Attaches an iterator to all tables of a namespace, in these scopes. The servers apply it
    /// within about a second. Accumulo rejects a name or priority that is already in use. It does
    /// not check the class.
    fn attach_iterator(
        namespace: &str, iterator: &IteratorSetting, scopes: &[IteratorScope]
    ) -> (), about namespace;
    "attachNamespaceIterator" (AttachNamespaceIteratorRequest, AttachNamespaceIteratorReply),
        Once, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Removes an iterator from these scopes of a namespace.
    fn remove_iterator(
        namespace: &str, name: &str, scopes: &[IteratorScope]
    ) -> (), about namespace;
    "removeNamespaceIterator" (RemoveNamespaceIteratorRequest, RemoveNamespaceIteratorReply),
        Once, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: name: String,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    by hand iterator;
    "getNamespaceIteratorSetting"
        (GetNamespaceIteratorSettingRequest, GetNamespaceIteratorSettingReply),
        Read, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: name: String, 4: scope: IteratorScope }
        -> maybe(IteratorSetting), [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Returns the iterators of a namespace by name, each with its scopes.
    fn iterators(namespace: &str) -> BTreeMap<String, BTreeSet<IteratorScope>>, about namespace;
    "listNamespaceIterators" (ListNamespaceIteratorsRequest, ListNamespaceIteratorsReply),
        Read, Call,
        { 1: token: Bytes, 2: namespace_name: String }
        -> value(BTreeMap<String, BTreeSet<IteratorScope>>),
           [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Checks whether an iterator can be attached. If it cannot, the error contains the reason. It
    /// cannot if its name or priority is already in use.
    fn check_iterator_conflicts(
        namespace: &str, iterator: &IteratorSetting, scopes: &[IteratorScope]
    ) -> (), about namespace;
    "checkNamespaceIteratorConflicts"
        (CheckNamespaceIteratorConflictsRequest, CheckNamespaceIteratorConflictsReply),
        Read, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Adds a constraint, a class on the servers that accepts or rejects each mutation, to the
    /// tables of a namespace, and returns its number.
    ///
    /// A table that has its own constraint with the same number does not get the constraint. Every
    /// table is created with a constraint of number 1 (`DefaultKeySizeConstraint`), and the first
    /// constraint of a namespace gets the number 1.
    fn add_constraint(namespace: &str, class: &str) -> i32, about namespace;
    "addNamespaceConstraint" (AddNamespaceConstraintRequest, AddNamespaceConstraintReply),
        Once, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: constraint_class_name: String }
        -> value(i32), [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Removes the constraint with this number. A repetition is not safe: the number may have been
    /// reused.
    fn remove_constraint(namespace: &str, number: i32) -> (), about namespace;
    "removeNamespaceConstraint" (RemoveNamespaceConstraintRequest, RemoveNamespaceConstraintReply),
        Once, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: id: i32 }
        -> nothing, [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Returns the numbers of the constraints, by class.
    fn constraints(namespace: &str) -> BTreeMap<String, i32>, about namespace;
    "listNamespaceConstraints" (ListNamespaceConstraintsRequest, ListNamespaceConstraintsReply),
        Read, Call,
        { 1: token: Bytes, 2: namespace_name: String }
        -> value(BTreeMap<String, i32>), [1: Accumulo, 2: Security, 3: NamespaceNotFound];

    /// Checks whether the servers can load *and instantiate* a class as `as_type`, on the class
    /// path of the namespace. See [the method for tables](crate::TableOperations::test_class_load)
    /// for the meaning of `false`.
    fn test_class_load(namespace: &str, class: &str, as_type: &str) -> bool, about namespace;
    "testNamespaceClassLoad" (TestNamespaceClassLoadRequest, TestNamespaceClassLoadReply),
        Read, Call,
        { 1: token: Bytes, 2: namespace_name: String, 3: class_name: String,
          4: as_type_name: String }
        -> value(bool), [1: Accumulo, 2: Security, 3: NamespaceNotFound];
} } }

pub(crate) use namespace_calls;
