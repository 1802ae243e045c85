// A library to preload: the wall clock of a program is as far ahead of the system's as GASOLINE_CLOCK says ("+90s",
// "-90s"). Monotonic time, timers and the times of files stay as they are.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t ahead;

__attribute__((constructor)) static void begin(void) {
  const char *distance = getenv("GASOLINE_CLOCK");
  if (distance && (*distance == '+' || *distance == '-')) ahead = strtoll(distance, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  now->tv_sec = at.tv_sec;
  now->tv_usec = at.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  if (now) *now = at.tv_sec;
  return at.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}
