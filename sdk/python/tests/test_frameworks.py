import asyncio
import logging
import sys
import types

import gasoline_sdk
from tests.base import PARENT, SPAN, TRACE, Case


class Frameworks(Case):
    def check(self, name, status=200):
        spans = [s for s in self.spans() if s["kind"] == 2]
        self.assertEqual([s["name"] for s in spans], [name])
        s = spans[0]
        self.assertEqual((s["traceId"], s["parentSpanId"]), (TRACE, SPAN))
        self.assertEqual(s["attributes"]["http.response.status_code"], status)
        self.assertEqual(s["attributes"]["http.route"], name.partition(" ")[2])
        return s

    def test_flask(self):
        import flask

        app = flask.Flask("shop")

        @app.get("/items/<int:number>")
        def item(number):
            logging.getLogger("shop").warning("looking up %d", number)
            raise KeyError(number)

        app.logger.handlers = [logging.NullHandler()]
        answer = app.test_client().get("/items/7?q=1", headers={"traceparent": PARENT})
        self.assertEqual((answer.status_code, b"Internal" in answer.data), (500, True))
        answer.close()
        s = self.check("GET /items/<int:number>", 500)
        self.assertEqual(s["status"]["code"], 2)
        logs = self.receiver.logs
        self.assertEqual({e["spanId"] for e in logs}, {s["spanId"]})
        self.assertEqual(logs[-1]["attributes"]["exception.type"], "KeyError")

    def test_django(self):
        import django
        from django.conf import settings

        if not settings.configured:
            urls = types.ModuleType("gasoline_test_urls")
            sys.modules["gasoline_test_urls"] = urls
            settings.configure(
                ROOT_URLCONF="gasoline_test_urls", ALLOWED_HOSTS=["*"], SECRET_KEY="x", LOGGING_CONFIG=None,
                DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
            )
            django.setup()
        from django.db import connection
        from django.http import HttpResponse
        from django.urls import path

        def view(request, number):
            with connection.cursor() as cursor:
                cursor.execute("SELECT %s", [number])
                return HttpResponse(str(cursor.fetchone()[0]))

        def broken(request):
            raise ValueError("boom")

        sys.modules["gasoline_test_urls"].urlpatterns = [path("items/<int:number>", view), path("broken", broken)]
        from django.core.handlers.asgi import ASGIHandler
        from django.core.handlers.wsgi import WSGIHandler
        from tests.test_http import call

        logging.getLogger("django").addHandler(logging.NullHandler())
        logging.getLogger("django").propagate = False
        status, _, body, _ = call(WSGIHandler(), "/items/7", HTTP_TRACEPARENT=PARENT)
        self.assertEqual((status, body), ("200 OK", b"7"))
        s = self.check("GET /items/<int:number>")
        query = next(x for x in self.receiver.spans if x["kind"] == 3)
        self.assertEqual((query["parentSpanId"], query["attributes"]["db.system.name"]), (s["spanId"], "sqlite"))
        self.receiver.requests.clear()

        sent, asked = [], []

        async def main():
            async def receive():
                if asked:
                    await asyncio.sleep(60)  # until it is cancelled
                asked.append(1)
                return {"type": "http.request", "body": b""}

            async def send(message):
                sent.append(message)

            scope = {"type": "http", "method": "GET", "path": "/broken", "headers": [(b"traceparent", PARENT.encode())],
                     "query_string": b"", "root_path": ""}
            await ASGIHandler()(scope, receive, send)

        asyncio.run(main())
        self.assertEqual(sent[0]["status"], 500)
        self.check("GET /broken", 500)
        self.assertIn("boom", [e["attributes"].get("exception.message") for e in self.receiver.logs])

    def test_fastapi(self):
        import fastapi
        import httpx

        app = fastapi.FastAPI()

        @app.get("/items/{number}")
        async def item(number: int):
            logging.getLogger("shop").warning("looking up %d", number)
            return {"trace": gasoline_sdk.current_traceparent()}

        @app.get("/sync/{number}")
        def in_a_thread(number: int):
            logging.getLogger("shop").warning("looking up %d", number)
            raise ValueError("boom")

        async def get(path):
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
                return await client.get(path, headers={"traceparent": PARENT})

        logging.getLogger("shop").addHandler(logging.NullHandler())
        answer = asyncio.run(get("/items/7"))
        s = self.check("GET /items/{number}")
        self.assertEqual(answer.json()["trace"], "00-%s-%s-01" % (TRACE, s["spanId"]))
        self.receiver.requests.clear()
        self.assertEqual(asyncio.run(get("/sync/7")).status_code, 500)
        s = self.check("GET /sync/{number}", 500)
        self.assertEqual(s["events"][0]["attributes"]["exception.message"], "boom")
        self.assertEqual({e["spanId"] for e in self.receiver.logs}, {s["spanId"]})

    def test_starlette(self):
        import httpx
        from starlette.applications import Starlette
        from starlette.responses import PlainTextResponse
        from starlette.routing import Route

        async def home(request):
            return PlainTextResponse("hi")

        app = Starlette(routes=[Route("/hello/{name}", home)])

        async def get():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
                return await client.get("/hello/ann", headers={"traceparent": PARENT})

        self.assertEqual(asyncio.run(get()).text, "hi")
        self.check("GET /hello/{name}")

    def test_aiohttp(self):
        """A server that asks another one; what it raises to answer, what it fails by, a redirect, and who hangs up."""
        import aiohttp
        from aiohttp import web

        async def item(request):
            async with aiohttp.ClientSession() as session:
                async with session.get(str(request.url.with_path("/from/" + request.match_info["number"]))) as answer:
                    return web.json_response({"text": await answer.text(), "trace": gasoline_sdk.current_traceparent()})

        async def redirected(request):
            raise web.HTTPFound("/stock/" + request.match_info["number"])

        async def stock(request):
            logging.getLogger("shop").warning("looking up")
            return web.Response(text=request.headers.get("traceparent", ""))

        async def broken(request):
            raise ValueError("boom")

        async def slow(request):
            await asyncio.sleep(0.5)

        seen = {}

        async def main():
            app = web.Application()
            below = web.Application()
            below.add_routes([web.get("/{id}", stock)])
            app.add_subapp("/below", below)
            app.add_routes([web.get("/items/{number}", item), web.get("/from/{number}", redirected),
                            web.get("/stock/{number}", stock), web.get("/broken", broken), web.get("/slow", slow)])
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            base = "http://127.0.0.1:%d" % site._server.sockets[0].getsockname()[1]
            async with aiohttp.ClientSession() as session:
                async with session.get(base + "/items/7?q=1&token=hunter22", headers={"traceparent": PARENT}) as answer:
                    seen["item"] = await answer.json()
                for path in ("/broken", "/nowhere", "/below/1"):
                    async with session.get(base + path, headers={"traceparent": PARENT}) as answer:
                        seen[path] = answer.status
                gasoline_sdk.close(5)  # a plain request of somebody who knows no trace
                async with aiohttp.ClientSession() as plain:
                    self.client = self.start()
                    async with plain.get(base + "/below/2") as answer:
                        seen["told"] = answer.headers["traceresponse"]
                with gasoline_sdk.span("waits"):
                    try:
                        await session.get(base + "/slow", timeout=aiohttp.ClientTimeout(total=0.05))
                    except asyncio.TimeoutError:
                        pass
                    try:
                        await session.get("http://127.0.0.1:1/", timeout=aiohttp.ClientTimeout(total=5))
                    except aiohttp.ClientConnectorError:
                        pass
            await runner.cleanup()

        logging.getLogger("shop").addHandler(logging.NullHandler())
        logging.getLogger("aiohttp.server").addHandler(logging.NullHandler())
        logging.getLogger("aiohttp.server").propagate = False
        asyncio.run(main())
        spans = self.spans()
        by_name = {(s["kind"], s["name"]): s for s in spans}
        server = by_name[2, "GET /items/{number}"]
        self.assertEqual((server["traceId"], server["parentSpanId"]), (TRACE, SPAN))
        self.assertEqual(server["attributes"]["http.route"], "/items/{number}")
        self.assertRegex(server["attributes"]["url.query"], r"\Aq=1&token=<token:[0-9a-f]{8}>\Z")
        self.assertEqual(seen["item"]["trace"].split("-")[2], server["spanId"])
        client = by_name[3, "GET /from/7"]
        self.assertEqual((client["parentSpanId"], client["attributes"]["http.response.status_code"]), (server["spanId"], 200))
        self.assertEqual(seen["item"]["text"].split("-")[2], client["spanId"])
        for name, status in (("GET /from/{number}", 302), ("GET /stock/{number}", 200)):
            s = by_name[2, name]
            self.assertEqual((s["parentSpanId"], s["attributes"]["http.response.status_code"]), (client["spanId"], status))
            self.assertEqual(s["events"], [])
        self.assertEqual((seen["/broken"], seen["/nowhere"], seen["/below/1"]), (500, 404, 200))
        self.assertEqual(by_name[2, "GET /broken"]["events"][0]["attributes"]["exception.message"], "boom")
        self.assertEqual(by_name[2, "GET /nowhere"]["attributes"]["http.response.status_code"], 404)
        told = [s for s in spans if s["name"] == "GET /below/{id}" and s["traceId"] == seen["told"].split("-")[1]]
        self.assertEqual([s["spanId"] for s in told], [seen["told"].split("-")[2]])
        waits = by_name[1, "waits"]
        for name, error in (("GET /slow", "TimeoutError"), ("GET /", "aiohttp.client_exceptions.ClientConnectorError")):
            s = by_name[3, name]
            self.assertEqual((s["parentSpanId"], s["status"]["code"]), (waits["spanId"], 2))
            self.assertIn(error, s["events"][0]["attributes"]["exception.type"])
        self.assertEqual(self.receiver.logs[0]["spanId"], by_name[2, "GET /stock/{number}"]["spanId"])
