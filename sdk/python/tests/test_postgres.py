"""psycopg, psycopg2 and asyncpg with a real PostgreSQL, where it is installed."""

import asyncio
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import gasoline_sdk
from tests.base import Case
from tests.test_daemon import free_port


def _programs():
    """Return the folder with initdb and pg_ctl, None where there is none."""
    found = shutil.which("initdb")
    if found and shutil.which("pg_ctl"):
        return os.path.dirname(found)
    for folder in sorted(glob.glob("/usr/lib/postgresql/*/bin") + glob.glob("/opt/homebrew/opt/postgresql*/bin"), reverse=True):
        if os.path.exists(os.path.join(folder, "initdb")) and os.path.exists(os.path.join(folder, "pg_ctl")):
            return folder
    return None


class Postgres(Case):
    @classmethod
    def setUpClass(cls):
        programs = _programs()
        cls.server = None
        if programs is None:
            sys.stderr.write("psycopg, psycopg2 and asyncpg were not run: there is no PostgreSQL (initdb, pg_ctl) here\n")
            return
        cls.folder = tempfile.mkdtemp(prefix="gasoline-pg-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # It does not run as root.
        drop = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if drop:
            shutil.chown(cls.folder, "postgres", "postgres")
        data, cls.port = os.path.join(cls.folder, "data"), free_port(cls.addClassCleanup)

        def run(program, *arguments):
            done = subprocess.run([*drop, os.path.join(programs, program), "-D", data, *arguments], cwd=cls.folder, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                raise RuntimeError(done.stdout)

        run("initdb", "-A", "trust", "-U", "ann", "--no-sync")
        run("pg_ctl", "-w", "-l", os.path.join(cls.folder, "log"), "-o",
            "-F -p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=" % cls.port, "start")
        cls.addClassCleanup(run, "pg_ctl", "-m", "immediate", "stop")
        cls.server = {"host": "127.0.0.1", "port": cls.port, "user": "ann"}

    def queries(self):
        return [(s["name"], s["attributes"]["db.query.text"], s.get("status", {}).get("code", 0)) for s in self.spans()
                if s["kind"] == 3]

    def test_psycopg(self):
        if self.server is None:
            return
        import psycopg
        from psycopg import sql

        with psycopg.connect(dbname="postgres", **self.server) as db:
            db.execute("CREATE TABLE stock (id int, name text)")  # outside of a span
            self.assertEqual(self.queries(), [])
            with gasoline_sdk.span("root") as root:
                with db.cursor() as cursor:
                    cursor.execute("INSERT INTO stock VALUES (%s, %s)", (1, "hunter22"))
                    cursor.executemany("INSERT INTO stock VALUES (%s, %s)", [(2, "b"), (3, "c")])
                    self.assertEqual(cursor.rowcount, 2)
                row = db.execute(b"SELECT name FROM stock WHERE id = %s", [1]).fetchone()
                self.assertEqual(row, ("hunter22",))
                query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("stock"))
                self.assertEqual(db.execute(query).fetchone(), (3,))
                with db.cursor("named") as cursor:
                    cursor.execute("SELECT id FROM stock ORDER BY id")
                    self.assertEqual(cursor.fetchall(), [(1,), (2,), (3,)])
                with self.assertRaises(psycopg.errors.UndefinedTable):
                    db.execute("SELECT * FROM missing")
                db.rollback()
        self.assertEqual(self.queries(), [
            ("INSERT stock", "INSERT INTO stock VALUES (%s, %s)", 0),
            ("INSERT stock", "INSERT INTO stock VALUES (%s, %s)", 0),
            ("SELECT stock", "SELECT name FROM stock WHERE id = %s", 0),
            ("SELECT stock", 'SELECT count(*) FROM "stock"', 0),
            ("SELECT stock", "SELECT id FROM stock ORDER BY id", 0),
            ("SELECT missing", "SELECT * FROM missing", 2),
        ])
        spans = [s for s in self.receiver.spans if s["kind"] == 3]
        self.assertEqual({(s["parentSpanId"], s["attributes"]["db.system.name"]) for s in spans},
                         {(root.context.span, "postgresql")})
        failed = spans[-1]
        self.assertEqual(failed["attributes"]["error.type"], "psycopg.errors.UndefinedTable")
        self.assertIn('relation "missing" does not exist', failed["events"][0]["attributes"]["exception.message"])
        self.assertNotIn("hunter22", str(spans))

    def test_psycopg2(self):
        if self.server is None:
            return
        import psycopg2
        from psycopg2 import extensions, extras, pool, sql

        class Cursor(extras.RealDictCursor):
            pass

        class Connection(extensions.connection):
            def cursor(self, *args, **kwargs):
                made.append(args)
                return super().cursor(*args, **kwargs)

        made = []
        # As drivers above it open their connections: by words, with a DSN, with a class of theirs, from a pool.
        words = " ".join("%s=%s" % pair for pair in self.server.items())
        ways = [
            lambda: psycopg2.connect(dbname="postgres", **self.server),
            lambda: psycopg2.connect("dbname=postgres " + words, cursor_factory=Cursor),
            lambda: psycopg2.connect(dbname="postgres", connection_factory=Connection, **self.server),
            lambda: pool.SimpleConnectionPool(1, 1, dbname="postgres", **self.server).getconn(),
        ]
        for n, way in enumerate(ways):
            with self.subTest(n), way() as db:
                before = len(self.queries())
                self.assertIsInstance(db, extensions.connection)
                self.assertEqual(type(db).__name__, "Connection" if n == 2 else "connection")
                with db.cursor() as cursor:
                    self.assertEqual(type(cursor).__name__, "Cursor" if n == 1 else "cursor")
                    cursor.execute("CREATE TEMPORARY TABLE stock (id int, name text)")  # outside of a span
                    self.assertEqual(self.queries()[before:], [])
                with gasoline_sdk.span("root") as root:
                    with db.cursor(cursor_factory=extras.DictCursor) as cursor:
                        cursor.execute("INSERT INTO stock VALUES (%s, %s)", (1, "hunter22"))
                        cursor.executemany("INSERT INTO stock VALUES (%s, %s)", [(2, "b"), (3, "c")])
                        cursor.execute(b"SELECT name FROM stock WHERE id = %s", vars=[1])
                        self.assertEqual(cursor.fetchone()["name"], "hunter22")
                        cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("stock")))
                        self.assertEqual(cursor.fetchone()[0], 3)
                    with db.cursor("named", cursor_factory=extensions.cursor) as cursor:
                        cursor.execute("SELECT id FROM stock ORDER BY id")
                        self.assertEqual(cursor.fetchall(), [(1,), (2,), (3,)])
                    with db.cursor() as cursor, self.assertRaises(psycopg2.errors.UndefinedTable):
                        cursor.execute("SELECT * FROM missing")
                    db.rollback()
                self.assertEqual(self.queries()[before:], [
                    ("INSERT stock", "INSERT INTO stock VALUES (%s, %s)", 0),
                    ("INSERT stock", "INSERT INTO stock VALUES (%s, %s)", 0),
                    ("SELECT stock", "SELECT name FROM stock WHERE id = %s", 0),
                    ("SELECT stock", 'SELECT count(*) FROM "stock"', 0),
                    ("SELECT stock", "SELECT id FROM stock ORDER BY id", 0),
                    ("SELECT missing", "SELECT * FROM missing", 2),
                ])
                spans = [s for s in self.receiver.spans if s["kind"] == 3][before:]
                self.assertEqual({(s["parentSpanId"], s["attributes"]["db.system.name"]) for s in spans},
                                 {(root.context.span, "postgresql")})
                self.assertNotIn("hunter22", str(spans))
            db.close()
        self.assertGreater(len(made), 3)

    def test_psycopg_asynchronous(self):
        if self.server is None:
            return
        import psycopg

        async def main():
            async with await psycopg.AsyncConnection.connect(dbname="postgres", autocommit=True, **self.server) as db:
                with gasoline_sdk.span("root"):
                    cursor = await db.execute("SELECT 1")
                    self.assertEqual(await cursor.fetchone(), (1,))

                    async def one(n):
                        with gasoline_sdk.span("task %d" % n):
                            async with await psycopg.AsyncConnection.connect(dbname="postgres", **self.server) as other:
                                await other.execute("SELECT %d" % n)

                    await asyncio.gather(*(one(n) for n in range(3)))
                with self.assertRaises(psycopg.Error):  # outside of a span: failures are told all the same
                    await db.execute("SELEC")

        asyncio.run(main())
        got = self.queries()
        self.assertEqual(sorted(got), [("SELEC", "SELEC", 2), ("SELECT", "SELECT 0", 0), ("SELECT", "SELECT 1", 0),
                                       ("SELECT", "SELECT 1", 0), ("SELECT", "SELECT 2", 0)])
        by_id = {s["spanId"]: s for s in self.receiver.spans}
        for s in by_id.values():
            if s["kind"] == 3 and "SELECT" in s["name"]:
                parent = by_id[s["parentSpanId"]]["name"]
                self.assertIn(parent, ("root", "task " + s["attributes"]["db.query.text"][-1]))

    def test_asyncpg(self):
        if self.server is None:
            return
        import asyncpg

        async def main():
            pool = await asyncpg.create_pool(database="postgres", min_size=1, max_size=2, **self.server)
            with gasoline_sdk.span("root"):
                await pool.execute("CREATE TABLE IF NOT EXISTS items (id int)")
                async with pool.acquire() as db, db.transaction():
                    await db.executemany("INSERT INTO items VALUES ($1)", [(1,), (2,)])
                    self.assertEqual(await db.fetchval("SELECT count(*) FROM items WHERE id > $1", 0), 2)
                    self.assertEqual([dict(r) for r in await db.fetch("SELECT id FROM items")], [{"id": 1}, {"id": 2}])
                with self.assertRaises(asyncpg.UndefinedTableError):
                    await pool.fetchrow("SELECT * FROM missing")
            await pool.close()

        asyncio.run(main())
        self.assertEqual([(name, code) for name, _, code in self.queries()], [
            ("CREATE", 0), ("BEGIN;", 0), ("INSERT items", 0), ("SELECT items", 0), ("SELECT items", 0), ("COMMIT;", 0),
            ("SELECT missing", 2),
        ])
