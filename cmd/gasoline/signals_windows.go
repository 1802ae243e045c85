package main

import "os"

// passedOn are the signals that "gasoline run" passes to its child.
var passedOn = []os.Signal{os.Interrupt}
