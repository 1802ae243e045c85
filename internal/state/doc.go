// Package state is the state directory: the one place where the daemon keeps files of its own. [Dir] opens,
// writes and repairs them, and everything below the directory goes through it. Files are the user's alone
// (0600 in a folder of 0700), are written whole or not at all, and are never followed out of the directory.
//
// A file that is not as it has to be is told as a [Fault]: which one, where, what holds meanwhile, and the fix.
package state
