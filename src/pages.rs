//! The programs of the README and of the pages, as documentation tests.

macro_rules! pages {
    ($($name:ident = $path:literal;)*) => {
        $(
            #[doc = include_str!($path)]
            struct $name;
        )*
    };
}

pages! {
    Readme = "../README.md";
    Accumulo = "../docs/accumulo.md";
    Applications = "../docs/applications.md";
    ComingFromFluo = "../docs/coming-from-fluo.md";
    KeyDesigns = "../docs/key-designs.md";
    Monitoring = "../docs/monitoring.md";
    OperateAccumulo = "../docs/operate-accumulo.md";
    Operating = "../docs/operating.md";
    Protocol = "../docs/protocol.md";
    Recipes = "../docs/recipes.md";
    TableOptimization = "../docs/table-optimization.md";
    TestingObservers = "../docs/testing-observers.md";
    WithJava = "../docs/with-java.md";
}
