"""What the tests have in common: a client that sends to a receiver."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gasoline_sdk  # noqa: E402
from tests.receiver import Receiver  # noqa: E402

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = "00-%s-%s-01" % (TRACE, SPAN)


class Case(unittest.TestCase):
    """Starts a client whose records wait until somebody flushes."""

    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.client = self.start()
        self.addCleanup(gasoline_sdk.close)

    def start(self, **more):
        settings = {"service": "shop", "url": self.receiver.url, "token": "secret", "interval": 3600.0, "sigterm": False}
        return gasoline_sdk.start(**{**settings, **more})

    def flush(self):
        self.assertTrue(gasoline_sdk.flush(5))
        self.assertEqual(self.receiver.faults, [])

    def spans(self):
        self.flush()
        return self.receiver.spans

    def logs(self):
        self.flush()
        return self.receiver.logs
