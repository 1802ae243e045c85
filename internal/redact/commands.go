package redact

import "strings"

// Commands that are given a secret as one of their words, or by another program that writes it.

// sinks read a secret from what is written to them.
var sinks = []string{"--password-stdin", "sudo -S", "sudo --stdin", "--with-token", "chpasswd", "passwd --stdin", "--passphrase-fd 0",
	"--passphrase-fd=0", "pass stdin", "passin stdin", "kinit", "cryptsetup", "smbpasswd", "secret set", "secret put", "secret create",
	"secrets create", "secrets versions add", "vault login -", "passwd -s", "--password-file -", "--password-file=-", "--pinentry-mode loopback"}

// piped replaces what the command echo or printf, which ends at j, writes to a program that reads a password. It returns the
// index behind it, or 0.
func (sc *scan) piped(j int) int {
	s := sc.s
	const reach = 512
	limit := min(len(s), j+reach)
	limit = j + lineStop(s[j:limit], 0)
	for at := j; at < limit; {
		from, to, next := sc.commandWord(at, limit)
		if from < 0 {
			break
		}
		at = next
		word := s[from:to]
		if word == "|" || strings.HasPrefix(word, "|") {
			line := s[at:limit]
			if sc.mode == document && sc.quoted {
				near := *sc
				near.s = s[:limit]
				line = s[at:near.limit(at)]
			}
			if stop := strings.Index(line, `\n`); stop >= 0 {
				line = line[:stop]
			}
			if !containsAny(line, sinks) {
				return 0
			}
			return sc.pipedWords(j, at-1)
		}
		if strings.HasSuffix(word, ";") || word == "" || strings.IndexByte(";&<>", word[0]) >= 0 {
			break
		}
	}
	return 0
}

// pipedWords replaces the words of s[at:end] that a command writes.
func (sc *scan) pipedWords(at, end int) int {
	s := sc.s
	last := 0
	for at < end {
		from, to, next := sc.commandWord(at, end)
		if from < 0 || s[from] == '|' {
			break
		}
		at = next
		word := s[from:to]
		switch {
		case from > 0 && s[from-1] == '`', word == "", word[0] == '-', word[0] == '$', word[0] == '`', strings.HasPrefix(word, "%s"), pseudonymAt(word) > 0, from < sc.done:
			continue
		}
		v := held{from: from, to: to, content: true}
		if user, _, ok := strings.Cut(word, ":"); ok && strings.Contains(s[end:min(len(s), end+80)], "chpasswd") {
			v.from += len(user) + 1
		}
		last = max(last, sc.hide(v, "password"))
	}
	return last
}

// commandWord returns where the word of a command is that begins behind the blanks at k, without its quotes, and the index
// behind it; -1 where there is none.
func (sc *scan) commandWord(k, limit int) (from, to, next int) {
	s := sc.s
	for k < limit && s[k] == ' ' {
		k++
	}
	if k >= limit {
		return -1, 0, 0
	}
	if open, quote, slashes := closing(s, k); quote != 0 && open <= limit {
		if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
			return -1, 0, 0 // the end of the string around it
		}
		to = sc.closeOf(open, quote, slashes, false)
		return open, min(to, limit), min(to+slashes+1, limit)
	}
	for to = k; to < limit && strings.IndexByte(" \t\r\n\"'`", s[to]) < 0; to++ {
		if s[to] == '\\' && to+1 < limit && strings.IndexByte(`"nrt`, s[to+1]) >= 0 {
			break
		}
	}
	if to == k {
		return -1, 0, 0
	}
	return k, to, to
}

// netCommand replaces the password of Windows' command net, which ends at j. What follows has to be its options, or the end
// of the line where the command began one.
func (sc *scan) netCommand(i, j int) int {
	s := sc.s
	limit := min(len(s), j+maxBetween)
	limit = j + lineStop(s[j:limit], 0)
	from, to, at := sc.commandWord(j, limit)
	if from < 0 {
		return 0
	}
	place := 0
	switch strings.ToLower(s[from:to]) {
	case "user":
		place = 1
	case "use":
		place = 2
	default:
		return 0
	}
	v, n, slash := held{}, 0, false
	for ; n < 8; n++ {
		if from, to, at = sc.commandWord(at, limit); from < 0 {
			break
		}
		if s[from] == '/' {
			slash = true
			continue
		}
		if slash || n > place {
			break
		}
		if n == place-1 && place == 2 && !strings.Contains(s[from:to], `\\`) && n == 0 {
			return 0
		}
		if n == place {
			v = held{from: from, to: to, content: true}
		}
	}
	begins := i == 0 || s[i-1] == '\n' || s[i-1] == '>' || i > 1 && s[i-2] == '>'
	if v.from >= v.to || s[v.from] == '*' || pseudonymAt(s[v.from:v.to]) > 0 || v.from < sc.done || !slash && (!begins || from >= 0) {
		return 0
	}
	return sc.hide(v, "password")
}

// secureString replaces the text that PowerShell makes a password of, before its option -AsPlainText at i.
func (sc *scan) secureString(i int) {
	s := sc.s
	from := max(sc.done, i-maxLookBack)
	n := strings.LastIndex(strings.ToLower(s[from:i]), "convertto-securestring")
	if n < 0 {
		return
	}
	at := from + n + len("convertto-securestring")
	for at < i {
		a, b, next := sc.commandWord(at, i)
		if a < 0 {
			return
		}
		if word := s[a:b]; word != "" && word[0] != '-' && word[0] != '$' && word[0] != '(' && pseudonymAt(word) == 0 {
			sc.hide(held{from: a, to: b, content: true}, "password")
			return
		}
		at = next
	}
}
