#!/usr/bin/env python3
"""Records the messages between the client and a server that uses Python's Thrift. See README.md.

The server is Python's generated code over Python's protocols. Only the frames around the messages are read and written
by this script, which records them. The answers of the server are invented: only their bytes matter.
"""

import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.transport.TTransport import TMemoryBuffer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
SECRET = "hush"
PROTOCOLS = {"compact": TCompactProtocol, "binary": TBinaryProtocol}


class Answers:
    """The service. It calls `says` with each call as Python understood it."""

    def __init__(self, types, says):
        self.types = types
        self.says = says

    def __getattr__(self, name):
        answer = getattr(type(self), "answer_" + name, lambda self, *arguments: None)

        def call(*arguments):
            shown = ", ".join(repr(argument) for argument in arguments)
            self.says(f"{name}({shown})")
            if len(arguments) > 1 and isinstance(arguments[1], str):
                self.fail(arguments[1])
            return answer(self, *arguments)

        return call

    def fail(self, subject):
        """Throws the exception that the table or namespace is named after."""
        thrown = getattr(self.types, subject, None)
        if thrown is not None:
            raise thrown(msg=f"org.example.{subject}: it was asked for\n\tat org.example.Proxy")
        if subject == "Unexpected":
            raise RuntimeError("an unexpected failure")

    def key(self, row, timestamp=7):
        return self.types.Key(
            row=row, colFamily=b"f", colQualifier=b"q", colVisibility=b"a&b", timestamp=timestamp
        )

    def setting(self):
        return self.types.IteratorSetting(
            priority=20, name="vers", iteratorClass="org.example.Versions", properties={"most": "1"}
        )

    def extent(self):
        return self.types.KeyExtent(tableId="2a", endRow=b"m\x00\xff", prevEndRow=None)

    def answer_login(self, user, properties):
        if properties != {"password": SECRET}:
            raise self.types.AccumuloSecurityException(msg="BAD_CREDENTIALS for " + user)
        return b"\x00token\xff"

    def answer_getTabletServers(self, token):
        return ["server1:9997", "server2:9997"]

    def answer_listSplits(self, token, table, most):
        return [b"", b"\x00\xff", b"row"]

    def answer_tableExists(self, token, table):
        return table == "here"

    def answer_listTables(self, token):
        return {"accumulo.metadata", "t"}

    def answer_tableIdMap(self, token):
        return {"t": "2a"}

    def answer_getMaxRow(self, token, table, auths, start, with_start, end, with_end):
        return None if table == "empty" else b"z\xff"

    def answer_addConstraint(self, token, table, name):
        return 3

    def answer_listConstraints(self, token, table):
        return {"org.example.Constraint": 3}

    def answer_listIterators(self, token, table):
        scope = self.types.IteratorScope
        return {"vers": {scope.MINC, scope.MAJC, scope.SCAN}, "none": set()}

    def answer_getIteratorSetting(self, token, table, name, scope):
        return self.setting()

    def answer_getLocalityGroups(self, token, table):
        return {"g": {"f1", "f2"}}

    def answer_getTableProperties(self, token, table):
        return {"table.split.threshold": "1G", "table.custom.ö": "é"}

    def answer_getDiskUsage(self, token, tables):
        return [self.types.DiskUsage(tables=sorted(tables), usage=1 << 40)]

    def answer_splitRangeByTablets(self, token, table, range, most):
        # A list, because Python's sets cannot contain its structures; on the wire it is a set.
        return [self.types.Range(start=None, startInclusive=True, stop=self.key(b"m"), stopInclusive=False)]

    def answer_getActiveScans(self, token, server):
        types = self.types
        return [
            types.ActiveScan(
                client="1.2.3.4:5", user="root", table="t", age=1 << 33, idleTime=0, type=types.ScanType.BATCH,
                state=types.ScanState.QUEUED, extent=self.extent(), columns=[types.Column(colFamily=b"f")],
                iterators=[self.setting()], authorizations=[b"a", b"b"],
            )
        ]

    def answer_getActiveCompactions(self, token, server):
        types = self.types
        return [
            types.ActiveCompaction(
                extent=self.extent(), age=12, inputFiles=["f1", "f2"], outputFile="out", type=types.CompactionType.FULL,
                reason=types.CompactionReason.USER, localityGroup="", entriesRead=5, entriesWritten=6, iterators=[],
            )
        ]

    def answer_createScanner(self, token, table, options):
        return "scanner-1"

    def answer_createBatchScanner(self, token, table, options):
        return "scanner-2"

    def answer_nextK(self, scanner, k):
        entries = [
            self.types.KeyValue(key=self.key(b"a", -1 << 63), value=b""),
            self.types.KeyValue(key=self.key(b"b\x00", (1 << 63) - 1), value=b"value"),
        ]
        return self.types.ScanResult(results=entries, more=False)

    def answer_createConditionalWriter(self, token, table, options):
        return "writer-1"

    def answer_updateRowsConditionally(self, writer, updates):
        status = self.types.ConditionalStatus
        return {row: status.REJECTED if row == b"no" else status.ACCEPTED for row in updates}

    def answer_getUserAuthorizations(self, token, user):
        return [b"a", b"\xff"]

    def answer_hasTablePermission(self, token, user, table, permission):
        return True

    def answer_listNamespaces(self, token):
        return ["", "accumulo"]

    def answer_getSiteConfiguration(self, token):
        return {"instance.secret": ""}


def read_exactly(connection, length):
    parts = b""
    while len(parts) < length:
        part = connection.recv(length - len(parts))
        if not part:
            return None
        parts += part
    return parts


class Server(threading.Thread):
    """One dialect over one protocol. Each connection is recorded in the file named by `current`."""

    def __init__(self, dialect, protocol, current):
        super().__init__(daemon=True)
        self.dialect = dialect
        self.protocol = protocol
        self.current = current
        self.folder = HERE / f"{dialect}-{protocol}"
        self.listener = socket.create_server(("127.0.0.1", 0))

    def address(self):
        return "127.0.0.1:%d" % self.listener.getsockname()[1]

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        service = __import__(f"proxy_{self.dialect}.AccumuloProxy", fromlist=["Processor"])
        types = __import__(f"proxy_{self.dialect}.ttypes", fromlist=["Key"])
        file = self.folder / (self.current.read_text() + ".txt")
        self.folder.mkdir(exist_ok=True)
        with file.open("w", encoding="utf-8") as recording, connection:
            says = lambda line: recording.write("# " + line + "\n")
            processor = service.Processor(Answers(types, says))
            while (length := read_exactly(connection, 4)) is not None:
                asked = read_exactly(connection, struct.unpack("!I", length)[0])
                answered = TMemoryBuffer()
                make = PROTOCOLS[self.protocol]
                processor.process(make(TMemoryBuffer(asked)), make(answered))
                recording.write(f"> {asked.hex()}\n< {answered.getvalue().hex()}\n")
                recording.flush()
                reply = answered.getvalue()
                connection.sendall(struct.pack("!I", len(reply)) + reply)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for dialect in ["1x", "2x"]:
            subprocess.run(["thrift", "--gen", "py", "-out", folder, HERE / f"proxy_{dialect}.thrift"], check=True)
        sys.path.insert(0, folder)
        current = Path(folder) / "current"
        environment = dict(os.environ, FLUO_FRAMES_CURRENT=str(current))
        for dialect in ["1x", "2x"]:
            for protocol in PROTOCOLS:
                shutil.rmtree(HERE / f"{dialect}-{protocol}", ignore_errors=True)
                server = Server(dialect, protocol, current)
                server.start()
                environment[f"FLUO_FRAMES_{dialect}_{protocol}".upper()] = server.address()
        test = ["cargo", "test", "-p", "accumulo-proxy", "--test", "wire", "--", "--ignored", "frames::record"]
        subprocess.run(test, check=True, cwd=ROOT, env=environment)


if __name__ == "__main__":
    main()
