package redact

import "strings"

// Values that tell of a number or a file and hold no secret.

// quantity reports whether the value without quotes is a number with a unit behind it: "VmPin: 0 kB".
func quantity(s string, v held) bool {
	if v.from == v.to || strings.Trim(s[v.from:v.to], "0123456789.") != "" || v.to == len(s) || s[v.to] != ' ' {
		return false
	}
	unit := s[v.to+1:]
	n := 0
	for n < len(unit) && n < 8 && alnum(unit[n]) {
		n++
	}
	return units[strings.ToLower(unit[:n])]
}

var units = wordSet("kb", "mb", "gb", "tb", "kib", "mib", "gib", "byte", "bytes", "ns", "us", "ms")

// fileOf reports whether value is the path of a file or directory that name tells of: the shell's PWD, a file of keys.
func fileOf(name, value string) bool {
	if value == "" || strings.IndexByte("/$~.", value[0]) < 0 || strings.IndexByte(value, '/') < 0 {
		return false
	}
	if name == "PWD" || name == "OLDPWD" {
		return value[0] == '/'
	}
	value = strings.TrimRight(value, "#,;)")
	dot := strings.LastIndexByte(value, '.')
	return dot >= 0 && keyFiles[strings.ToLower(value[dot+1:])]
}

var keyFiles = wordSet("pem", "key", "crt", "cer", "der", "p12", "pfx", "jks", "pub", "asc", "gpg", "txt", "json",
	"yaml", "yml")

// count reports whether value is a number of things.
func count(value string) bool {
	return len(value) <= 5 && strings.Trim(value, "0123456789") == ""
}
