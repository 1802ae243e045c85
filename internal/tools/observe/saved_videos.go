package observe

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "saved_videos", Doc: "Films of tabs that interact screen_recording_start made, the newest first.",
	Aliases: []string{"videos", "films"}, Example: `{"last_n":5}`, Errors: []problem.Code{problem.InvalidParam},
}, savedVideos)

type savedVideosParams struct {
	URL   string `json:"url,omitempty" doc:"only of pages with this in the URL"`
	LastN *int   `json:"last_n,omitempty" min:"1" max:"1000" doc:"only the newest so many"`
}

type savedVideosResult struct {
	Recordings []savedVideo `json:"recordings"`
	Total      int          `json:"total"`              // all that are kept
	Used       int64        `json:"storage_used_bytes"` // of all
}

type savedVideo struct {
	film.Info
	Resolution string `json:"resolution"`
	Format     string `json:"format"`
	AudioMode  string `json:"audio_mode"`
}

func savedVideos(_ context.Context, env Env, p savedVideosParams) (*savedVideosResult, error) {
	films, used, err := env.Films.List()
	if err != nil {
		return nil, err
	}
	out := &savedVideosResult{Recordings: []savedVideo{}, Total: len(films), Used: used}
	for _, f := range films {
		if !strings.Contains(strings.ToLower(f.URL), strings.ToLower(p.URL)) {
			continue
		}
		if p.LastN != nil && len(out.Recordings) == *p.LastN {
			break
		}
		sound := "none"
		if f.Audio {
			sound = "tab"
		}
		out.Recordings = append(out.Recordings, savedVideo{f, fmt.Sprintf("%dx%d", f.Width, f.Height), "webm", sound})
	}
	return out, nil
}

// Text writes a line for each film.
func (r *savedVideosResult) Text(w *answer.Writer) {
	w.Head("saved_videos: %d of %d, %s in all", len(r.Recordings), r.Total, answer.Bytes(r.Used))
	if len(r.Recordings) == 0 {
		w.Note(`interact {"action":"screen_recording_start"} makes one`)
		return
	}
	origins := make([]string, 0, len(r.Recordings))
	for _, f := range r.Recordings {
		origins = append(origins, answer.Origin(f.URL))
	}
	w.Page(origins...)
	var entries []answer.Entry
	for _, f := range r.Recordings {
		line := fmt.Sprintf("%s %s %.1f s %s %s tab %d", f.Name, f.CreatedAt.Format("2006-01-02T15:04:05Z"), f.Seconds,
			answer.Bytes(f.Bytes), f.Resolution, f.Tab)
		if f.Audio {
			line += " with sound"
		}
		switch {
		case f.Ended == "":
			line += " goes on"
		case f.Truncated:
			line += " truncated: " + answer.Clean(f.Ended)
		}
		line += part("%q", answer.Cut(answer.Clean(f.Display), 80)) + part("%s", answer.Short(f.URL, 120)) + " " + answer.Clean(f.Path)
		entries = append(entries, answer.Entry{Text: line})
	}
	from, to := w.Entries(answer.Oldest, entries)
	if to-from < len(entries) {
		w.Note("cut to %d of %d films; last_n asks for fewer", to-from, len(entries))
	}
}
