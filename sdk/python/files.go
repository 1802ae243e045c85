// Package python holds the SDK for Python, which the program carries and lays where the programs that it runs load it from.
package python

import "embed"

// Files are the modules of gasoline_sdk, below that name. Its folder shim, in PYTHONPATH, starts the SDK.
//
//go:embed gasoline_sdk/*.py gasoline_sdk/shim/*.py
var Files embed.FS
