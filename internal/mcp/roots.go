package mcp

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/project"
)

// Bounds of what a client says of its folders.
const (
	rootsWithin = 2 * time.Second // for its answer
	maxRoots    = 32
)

// rooted puts the roots that a client names, asked for once and again after each change, before the folder that it was
// started in: many clients start servers anywhere. Of several, the one that has this folder comes first.
func (s *Server) rooted(ctx context.Context, session *sdk.ServerSession, call *catalog.Call) {
	id := session.ID()
	started := session.InitializeParams()
	//lint:ignore SA1019 clients have roots for as long as revisions with sessions last
	if id == "" || started == nil || started.Capabilities == nil || started.Capabilities.RootsV2 == nil {
		return
	}
	s.mu.Lock()
	roots, known := s.roots[id]
	s.mu.Unlock()
	if !known {
		ctx, cancel := context.WithTimeout(ctx, rootsWithin)
		defer cancel()
		//lint:ignore SA1019 as above
		answer, err := session.ListRoots(ctx, &sdk.ListRootsParams{})
		if err != nil { // a client that does not say has its folder
			s.cfg.Log.Debug("list roots", "client", id, "error", err.Error())
		} else {
			for _, r := range answer.Roots[:min(len(answer.Roots), maxRoots)] {
				if path := folderOf(r.URI); path != "" {
					roots = append(roots, path)
				}
			}
		}
		s.mu.Lock()
		s.roots[id] = roots
		s.mu.Unlock()
	}
	var first, rest []string
	for _, r := range roots {
		if slices.ContainsFunc(call.Folders, func(f string) bool { return project.Inside(f, r) }) {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	call.Folders = slices.Concat(first, rest, call.Folders)
}

// forgetRoots has a client asked again.
func (s *Server) forgetRoots(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.roots, id)
}

// folderOf returns the path of a file URI, "" for any other.
func folderOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}
