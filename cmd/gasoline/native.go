package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/wire"
)

// Bounds of native messaging.
const (
	maxNative    = 64 << 10 // bytes of a message from the browser
	nativeWithin = 5 * time.Second
)

// nativeArgs reports whether a browser started this program as its native messaging host: it gives the
// extension's origin as an argument, behind those of the wrapper script.
func nativeArgs(args []string) (s settings, origin string, ok bool) {
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "chrome-extension://"):
			return s, arg, true
		case arg == "--state-dir" && i+1 < len(args):
			s.stateDir = args[i+1]
		}
	}
	return s, "", false
}

// runNative answers the one message of the extension and ends: with a key for the browser that started
// this program, or with why there is none.
func runNative(ctx context.Context, s settings, origin string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, nativeWithin)
	defer cancel()
	id, err := daemon.ExtensionID()
	if err != nil {
		return err
	}
	if origin != "chrome-extension://"+id+"/" {
		return fmt.Errorf("started for %q, which is not the Gasoline extension", origin)
	}
	var size uint32
	if err := binary.Read(in, binary.NativeEndian, &size); err != nil {
		return fmt.Errorf("read the browser's message: %w", err)
	}
	if size > maxNative {
		return fmt.Errorf("the browser's message has %d bytes, at most %d are taken", size, maxNative)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		return fmt.Errorf("read the browser's message: %w", err)
	}
	var ask wire.NativeRequest
	if err := json.Unmarshal(text, &ask); err != nil {
		return fmt.Errorf("read the browser's message: %w", err)
	}
	data, err := json.Marshal(s.pairNative(ctx, ask))
	if err != nil {
		return err
	}
	frame := binary.NativeEndian.AppendUint32(nil, uint32(len(data)))
	_, err = out.Write(append(frame, data...))
	return err
}

// pairNative gets a key from the daemon of this user on the browser's port.
func (s settings) pairNative(ctx context.Context, ask wire.NativeRequest) wire.NativeAnswer {
	refuse := func(code, fix string, err error) wire.NativeAnswer {
		return wire.NativeAnswer{Problem: &wire.ProblemBody{Code: code, Message: err.Error(), Fix: fix}}
	}
	s.port = fmt.Sprint(ask.Port)
	c, err := s.client()
	if err != nil {
		return refuse("internal", "", err)
	}
	raw, err := c.quick(
		ctx,
		http.MethodPost,
		"/pair/key",
		wire.PairRequest{Session: ask.Session, Name: ask.Name, KeyID: ask.KeyID},
	)
	var foreign *proof.Foreign
	switch {
	case errors.As(err, &foreign):
		return refuse(
			"foreign_port",
			fmt.Sprintf(
				"End the program that holds port %d, or choose another port in the options and give it to gasoline by --port.",
				ask.Port,
			),
			foreign,
		)
	case errors.Is(err, errDown):
		return refuse("no_daemon", "", err)
	case err != nil:
		return refuse("internal", "", err)
	}
	var key wire.PairKey
	if err := json.Unmarshal(raw, &key); err != nil {
		return refuse("internal", "", err)
	}
	return wire.NativeAnswer{KeyID: key.KeyID, Key: key.Key}
}
