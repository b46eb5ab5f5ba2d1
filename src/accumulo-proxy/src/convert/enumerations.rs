//! Enumerations.

use super::{FromWire, Meaningless, ToWire};
use crate::data::{
    CompactionReason, CompactionType, Durability, IteratorScope, NamespacePermission, PartialKey,
    ScanState, ScanType, SystemPermission, TablePermission, TimeType,
};
use crate::wire::interface as wire;

/// Converts an enumeration and its values to the wire and back.
macro_rules! enumeration {
    ($name:ident: $($value:ident = $wire:ident),* $(,)?) => {
        impl ToWire for $name {
            type Wire = wire::$name;

            fn to_wire(&self) -> wire::$name {
                match self {
                    $(Self::$value => wire::$name::$wire,)*
                }
            }
        }

        impl FromWire<wire::$name> for $name {
            fn from_wire(wire: wire::$name) -> Result<Self, Meaningless> {
                match wire {
                    $(wire::$name::$wire => Ok(Self::$value),)*
                    other => Err(format!(
                        "{} is not a value of {} that this client supports",
                        other.0,
                        stringify!($name)
                    )),
                }
            }
        }
    };
}

enumeration!(PartialKey: Row = ROW, RowFamily = ROW_COLFAM, RowFamilyQualifier = ROW_COLFAM_COLQUAL,
    RowFamilyQualifierVisibility = ROW_COLFAM_COLQUAL_COLVIS,
    RowFamilyQualifierVisibilityTime = ROW_COLFAM_COLQUAL_COLVIS_TIME,
    All = ROW_COLFAM_COLQUAL_COLVIS_TIME_DEL);
enumeration!(TablePermission: Read = READ, Write = WRITE, BulkImport = BULK_IMPORT, AlterTable = ALTER_TABLE,
    Grant = GRANT, DropTable = DROP_TABLE);
enumeration!(SystemPermission: Grant = GRANT, CreateTable = CREATE_TABLE, DropTable = DROP_TABLE,
    AlterTable = ALTER_TABLE, CreateUser = CREATE_USER, DropUser = DROP_USER, AlterUser = ALTER_USER,
    System = SYSTEM, CreateNamespace = CREATE_NAMESPACE, DropNamespace = DROP_NAMESPACE,
    AlterNamespace = ALTER_NAMESPACE, ObtainDelegationToken = OBTAIN_DELEGATION_TOKEN);
enumeration!(NamespacePermission: Read = READ, Write = WRITE, AlterNamespace = ALTER_NAMESPACE, Grant = GRANT,
    AlterTable = ALTER_TABLE, CreateTable = CREATE_TABLE, DropTable = DROP_TABLE, BulkImport = BULK_IMPORT,
    DropNamespace = DROP_NAMESPACE);
enumeration!(ScanType: Single = SINGLE, Batch = BATCH);
enumeration!(ScanState: Idle = IDLE, Running = RUNNING, Queued = QUEUED);
enumeration!(Durability: Default = DEFAULT, None = NONE, Log = LOG, Flush = FLUSH, Sync = SYNC);
enumeration!(CompactionType: Minor = MINOR, Merge = MERGE, Major = MAJOR, Full = FULL);
enumeration!(CompactionReason: User = USER, System = SYSTEM, Chop = CHOP, Idle = IDLE, Close = CLOSE);
enumeration!(IteratorScope: MinorCompaction = MINC, MajorCompaction = MAJC, Scan = SCAN);
enumeration!(TimeType: Logical = LOGICAL, Millis = MILLIS);
