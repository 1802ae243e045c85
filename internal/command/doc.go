// Package command is the return path: the queue of commands from agents to browsers, and the
// declaration of what kinds there are.
package command
