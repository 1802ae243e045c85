import asyncio
import concurrent.futures
import contextlib
import contextvars
import io
import multiprocessing.pool
import queue
import threading
import traceback

import gasoline_sdk
from gasoline_sdk import _trace
from tests.base import Case

OWN = contextvars.ContextVar("own", default="none")


def trace():
    return gasoline_sdk.current_traceparent()[3:35]


class Threads(Case):
    """What a request starts in threads and pools stays in its trace, and only that."""

    def within(self, call):
        """Call within a span and return its trace and the result."""
        with gasoline_sdk.span("root") as span:
            return span.context.trace, call()

    def by_thread(self, task, cls=threading.Thread, *args):
        seen = queue.SimpleQueue()
        thread = cls(*args, target=lambda: seen.put(task())) if not args else cls(*args, lambda: seen.put(task()))
        thread.start()
        thread.join()
        return seen.get()

    def test_a_thread_is_in_the_trace_of_who_started_it(self):
        want, got = self.within(lambda: self.by_thread(trace))
        self.assertEqual(got, want)
        self.assertEqual(self.by_thread(trace), "")

    def test_a_thread_of_a_class_of_its_own(self):
        class Own(threading.Thread):
            def run(self):
                self.seen = trace()

        def call():
            thread = Own()
            thread.start()
            thread.join()
            self.assertNotIn("_gasoline", vars(thread))
            return thread.seen

        want, got = self.within(call)
        self.assertEqual(got, want)

    def test_the_trace_is_that_of_the_start(self):
        seen = []
        _, thread = self.within(lambda: threading.Thread(target=lambda: seen.append(trace())))
        want, _ = self.within(thread.start)
        thread.join()
        self.assertEqual(seen, [want])

    def test_a_timer(self):
        want, got = self.within(lambda: self.by_thread(trace, threading.Timer, 0.0))
        self.assertEqual(got, want)

    def test_an_error_of_a_thread_is_in_its_trace(self):
        with contextlib.redirect_stderr(io.StringIO()):
            want, _ = self.within(self.by_thread_that_fails)
        log = next(e for e in self.logs() if e["text"] == "ValueError: of a thread")
        self.assertEqual(log["traceId"], want)

    def by_thread_that_fails(self):
        def fail():
            raise ValueError("of a thread")

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()

    def pools(self):
        """Yield each kind of pool with one worker: how a task is given to it and its result had, and the pool."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            yield "submit", lambda task: pool.submit(task).result()
            yield "map", lambda task: next(pool.map(lambda _: task(), [0]))
        with multiprocessing.pool.ThreadPool(1) as pool:
            yield "apply", pool.apply
            yield "apply_async", lambda task: pool.apply_async(task).get()
            yield "pool's map", lambda task: pool.map(lambda _: task(), [0])[0]
            yield "starmap", lambda task: pool.starmap(lambda _: task(), [(0,)])[0]
            yield "imap", lambda task: next(pool.imap(lambda _: task(), [0]))
            yield "imap_unordered", lambda task: next(pool.imap_unordered(lambda _: task(), [0], 2))

    def test_a_task_of_a_pool_is_in_the_trace_of_who_gave_it(self):
        for name, run in self.pools():
            with self.subTest(name):
                for _ in range(2):
                    want, got = self.within(lambda: run(trace))
                    self.assertEqual(got, want)
                    self.assertEqual(run(trace), "", "the trace of a finished request")

    def test_a_pool_that_a_request_made_does_not_stay_in_its_trace(self):
        def make():
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                pool.submit(trace).result()
                return contextvars.Context().run(lambda: pool.submit(trace).result())

        def make_pool():
            seen = []

            def items():
                seen.append(trace())
                yield 0

            with multiprocessing.pool.ThreadPool(1) as pool:
                contextvars.Context().run(lambda: list(pool.imap(lambda _: seen.append(trace()), items())))
            return "".join(seen)

        self.assertEqual(self.within(make)[1], "")
        self.assertEqual(self.within(make_pool)[1], "")

    def test_a_pool_that_a_request_ends_leaves_it_its_trace(self):
        def call():
            pool = multiprocessing.pool.ThreadPool(1)
            pool.apply(trace)
            pool.terminate()
            pool.join()
            return trace()

        want, got = self.within(call)
        self.assertEqual(got, want)

    def test_callbacks(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool, multiprocessing.pool.ThreadPool(1) as other:
            seen = queue.SimpleQueue()

            def call():
                go = threading.Event()
                future = pool.submit(go.wait)
                future.add_done_callback(lambda _: seen.put(trace()))
                go.set()
                other.apply_async(trace, callback=lambda _: seen.put(trace()))
                other.map_async(lambda _: trace(), [0], callback=lambda _: seen.put(trace()))
                return [seen.get(timeout=10) for _ in range(3)]

            want, got = self.within(call)
            self.assertEqual(got, [want] * 3)

    def test_asyncio(self):
        async def run():
            loop = asyncio.get_running_loop()
            out = [await loop.run_in_executor(None, trace), await asyncio.to_thread(trace)]
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                out.append(await loop.run_in_executor(pool, trace))
            return out

        want, got = self.within(lambda: asyncio.run(run()))
        self.assertEqual(got, [want] * 3)

        async def between():
            with gasoline_sdk.span("one"):
                await asyncio.get_running_loop().run_in_executor(None, trace)
            return await asyncio.get_running_loop().run_in_executor(None, trace)

        self.assertEqual(asyncio.run(between()), "")

    def test_what_else_a_program_keeps_in_its_context_is_as_without(self):
        token = OWN.set("of the request")
        self.addCleanup(OWN.reset, token)
        self.assertEqual(self.within(lambda: self.by_thread(OWN.get))[1], "none")
        with concurrent.futures.ThreadPoolExecutor(1, initializer=lambda: OWN.set("of the worker")) as pool:
            self.assertEqual(self.within(lambda: pool.submit(OWN.get).result())[1], "of the worker")

    def test_tracebacks_are_as_without(self):
        def fail():
            raise ValueError

        for name, run in self.pools():
            with self.subTest(name), gasoline_sdk.span("root"):
                try:
                    run(fail)
                except ValueError as error:
                    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
                self.assertIn("in fail", text)
                self.assertNotIn("gasoline_sdk", text)

    def test_nothing_of_it_is_left_in_the_thread_that_asked(self):
        before = _trace.current.get()
        self.within(lambda: self.by_thread(trace))
        self.assertIs(_trace.current.get(), before)
