"""Tasks of Celery: each carries the context of who queued it, and is a span below it where it runs."""

from __future__ import annotations

from typing import Any, Dict

from . import _client, _trace

CONSUMER = 5  # as OTLP numbers kinds
_MOST_RUNNING = 10_000  # tasks of this process that have begun and not ended


def patch_celery(signals: Any) -> None:
    """Listen to what Celery tells of its tasks."""
    running: Dict[Any, Any] = {}

    def queued(headers: Any = None, **_more: Any) -> None:
        try:
            context = _trace.current.get()
            if _client.active() is None or _trace.elsewhere or context is None or not context.trace:
                return
            if isinstance(headers, dict) and "traceparent" not in headers:
                headers["traceparent"] = context.traceparent()
                if context.state:
                    headers["tracestate"] = context.state
        except Exception:
            pass

    def begun(task_id: Any = None, task: Any = None, **_more: Any) -> None:
        try:
            client = _client.active()
            if client is None or _trace.elsewhere or len(running) >= _MOST_RUNNING:
                return
            request = task.request
            headers = getattr(request, "headers", None) or {}

            def header(name: str) -> Any:
                value = getattr(request, name, None) or headers.get(name)
                return value if isinstance(value, str) else None

            context = _trace.parse_traceparent(header("traceparent"))
            if context is not None:
                context.state = _trace.parse_tracestate(header("tracestate") or "")
            elif not getattr(request, "is_eager", False):
                context = _trace.Context()
            span = client.begin("process %s" % task.name, CONSUMER, {
                "messaging.system": "celery", "messaging.operation.name": "process", "messaging.message.id": str(task_id),
                "celery.task.name": task.name,
            }, context)
            inside = span.context if span is not None else context
            running[task_id] = span, _trace.current.set(inside if inside is None or inside.trace else None)
        except Exception:
            pass

    def failed(task_id: Any = None, exception: Any = None, **_more: Any) -> None:
        try:
            span = running[task_id][0]
            if span is not None and isinstance(exception, Exception):
                span.error(exception, escaped=True)
        except Exception:
            pass

    def again(request: Any = None, reason: Any = None, **_more: Any) -> None:
        error = getattr(reason, "exc", None)
        if isinstance(error, Exception):
            failed(getattr(request, "id", None), error)

    def ended(task_id: Any = None, **_more: Any) -> None:
        span, token = running.pop(task_id, (None, None))
        if token is not None:
            _trace.reset(token)
        if span is not None:
            span.end()

    for signal, take in (
        (signals.before_task_publish, queued), (signals.task_prerun, begun), (signals.task_failure, failed),
        (signals.task_retry, again), (signals.task_postrun, ended),
    ):
        signal.connect(take, weak=False)
