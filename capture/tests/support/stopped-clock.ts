// The capture core saves the timers of its realm when it is loaded: the fake ones have to be there before.
import { vi } from "vitest";

vi.useFakeTimers();
