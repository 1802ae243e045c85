//go:build !windows

package project

import (
	"io/fs"
	"os"
	"syscall"
)

// others says in which way a folder is not the user's own, "" when it is.
func others(folder os.FileInfo) string {
	if folder.Mode()&fs.ModeSticky != 0 && folder.Mode().Perm()&0o002 != 0 {
		return "is shared by all users"
	}
	owner, ok := folder.Sys().(*syscall.Stat_t)
	if uid := os.Getuid(); ok && uid != 0 && owner.Uid != uint32(uid) {
		return "belongs to another user"
	}
	return ""
}
