import logging
import threading

import gasoline_sdk
from tests.base import SPAN, TRACE, Case
from tests.test_threads import trace


class Celery(Case):
    """Tasks of the real library, with its broker in memory and a worker in a thread."""

    def setUp(self):
        super().setUp()
        import celery
        from celery import signals
        from celery.contrib.testing import worker

        self.seen = seen = []
        name = self.id()  # Celery knows the tasks of a process by their names
        app = celery.Celery(name, broker="memory://", backend="cache+memory://")
        app.conf.update(worker_hijack_root_logger=False, broker_connection_retry_on_startup=False)
        root, log = logging.getLogger(), logging.getLogger("of_the_task")
        for logger in (root, log, logging.getLogger("celery")):  # a worker sets them
            self.addCleanup(logger.setLevel, logger.level)
            self.addCleanup(setattr, logger, "handlers", list(logger.handlers))
        log.setLevel(logging.INFO)

        @app.task(shared=False, name=name + ".works")
        def works(text):
            seen.append(trace())
            log.info("works on %s", text)

        @app.task(shared=False, name=name + ".fails")
        def fails():
            seen.append(trace())
            raise ValueError("no price")

        @app.task(shared=False, name=name + ".again", bind=True, max_retries=1)
        def again(self):
            seen.append(trace())
            if not self.request.retries:
                try:
                    raise KeyError("not yet")
                except KeyError as error:
                    raise self.retry(exc=error, countdown=0)

        self.ended = ended = threading.Semaphore(0)
        signals.task_postrun.connect(lambda **_: ended.release(), weak=False, dispatch_uid=name)
        self.addCleanup(signals.task_postrun.disconnect, dispatch_uid=name)
        self.works, self.fails, self.again = works, fails, again
        started = worker.start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=20)
        started.__enter__()
        self.addCleanup(started.__exit__, None, None, None)

    def wait(self, result):
        try:
            return result.get(timeout=20, disable_sync_subtasks=False)
        except (ValueError, KeyError) as error:
            return error

    def ran(self, name):
        self.flush()
        found = [s for s in self.receiver.spans if s["kind"] == 5 and s["name"].endswith("." + name)]
        return sorted(found, key=lambda s: int(s["startTimeUnixNano"]))

    def until(self, name, count):
        """Return the spans of a task when there are so many: a result is there before its task has ended."""
        for _ in range(count):
            self.assertTrue(self.ended.acquire(timeout=20))
        return self.ran(name)

    def test_a_task_is_in_the_trace_of_who_queued_it_and_only_in_that(self):
        with gasoline_sdk.span("root") as root:
            self.wait(self.works.delay("one"))
        self.wait(self.works.delay("two"))
        first, second = self.until("works", 2)
        self.assertEqual((first["traceId"], first["parentSpanId"]), (root.context.trace, root.context.span))
        self.assertNotEqual(second["traceId"], root.context.trace)
        self.assertEqual(self.seen, [first["traceId"], second["traceId"]])
        log = next(e for e in self.logs() if e["text"] == "works on one")
        self.assertEqual((log["traceId"], log["spanId"]), (first["traceId"], first["spanId"]))
        self.assertEqual(first["attributes"]["messaging.system"], "celery")

    def test_what_a_task_raises_is_in_its_span(self):
        with gasoline_sdk.span("root") as root:
            self.assertIsInstance(self.wait(self.fails.apply_async()), ValueError)
        (span,) = self.until("fails", 1)
        self.assertEqual((span["traceId"], span["status"]["code"]), (root.context.trace, 2))
        a = span["events"][0]["attributes"]
        self.assertEqual((a["exception.type"], a["exception.message"]), ("ValueError", "no price"))
        self.assertIn("in fails", a["exception.stacktrace"])
        self.assertNotIn("gasoline_sdk", a["exception.stacktrace"])
        self.assertEqual(len(span["events"]), 1)

    def test_a_try_that_is_made_again_is_in_the_trace(self):
        with gasoline_sdk.span("root") as root:
            self.wait(self.again.delay())
        first, second = self.until("again", 2)
        self.assertEqual({first["traceId"], second["traceId"]}, {root.context.trace})
        self.assertEqual(["status" in s for s in (first, second)], [True, False])
        self.assertEqual(first["events"][0]["attributes"]["exception.message"], "'not yet'")

    def test_a_task_that_runs_at_once_is_below_what_runs(self):
        with gasoline_sdk.span("root") as root:
            self.works.apply(args=("three",))
            self.assertEqual(trace(), root.context.trace)
        (span,) = self.until("works", 1)
        self.assertEqual((span["traceId"], span["parentSpanId"]), (root.context.trace, root.context.span))

    def test_a_trace_that_came_with_a_message_of_another_program(self):
        headers = {"traceparent": "00-%s-%s-01" % (TRACE, SPAN), "tracestate": "a=1"}
        self.wait(self.works.apply_async(args=("four",), headers=headers))
        (span,) = self.until("works", 1)
        self.assertEqual((span["traceId"], span["parentSpanId"], span["traceState"]), (TRACE, SPAN, "a=1"))
