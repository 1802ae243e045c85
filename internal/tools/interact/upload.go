package interact

import (
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
)

// inlined is how many bytes the files of one upload may have together to travel to the browser. Larger ones are read by
// the browser itself.
const inlined = 2 << 20

// mostFiles is how many files one upload may have.
const mostFiles = 20

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "upload", Doc: "Put files of the project into a file input, onto a drop zone, or into what a button asks for.",
	Aliases: []string{"upload_file", "set_files"}, Needs: acts, Wait: 20 * time.Second,
	Example: `{"selector":"label=Photo","file_path":"testdata/cat.png"}`,
	Errors: append(
		slices.Clone(elementErrors), problem.PathNotAllowed, "file_not_found", "permission_denied", "not_uploadable",
		"not_multiple", "no_file_chooser", "debugger_refused", "file_access_off", "status_mismatch", "no_submit",
	),
}, func(ctx context.Context, env Env, p struct {
	command.Target
	command.Toast
	FilePath  string   `json:"file_path,omitempty" length:"4096" alias:"file" doc:"file to upload, below the project"`
	FilePaths []string `json:"file_paths,omitempty" length:"20" alias:"files,paths" doc:"several files to upload, below the project"`
	Submit    bool     `json:"submit,omitempty" doc:"and send the form"`
	Endpoint  string   `json:"api_endpoint,omitempty" length:"2000" doc:"address of the page's own site to post the files to, instead of an element"`
	Name      string   `json:"name,omitempty" length:"200" doc:"field of the form that api_endpoint gets; default file"`
	in
	after
}) (any, error) {
	paths := p.FilePaths
	if p.FilePath != "" {
		paths = append([]string{p.FilePath}, paths...)
	}
	if len(paths) == 0 {
		return nil, problem.New(problem.MissingParam, "Give file_path, or file_paths for several.", "there is no file to upload.")
	}
	if len(paths) > mostFiles {
		return nil, problem.New(problem.InvalidParam, "Upload some of them first.", "%d files are too many: %d may be uploaded at once.", len(paths), mostFiles)
	}
	if err := receiver(p.Target, p.Endpoint, p.Submit); err != nil {
		return nil, err
	}
	files, err := env.files(paths)
	if err != nil {
		return nil, err
	}
	if p.Endpoint != "" && !files[0].Inline {
		return nil, problem.New(problem.TooLarge, "Upload them through the page's own file input.",
			"the files have more than %s together, the most that is posted to an endpoint.", answer.Bytes(inlined))
	}
	params := command.UploadParams{
		Target: p.Target, Toast: p.Toast, Files: files, Submit: p.Submit, Endpoint: p.Endpoint, Name: p.Name,
	}
	return act(ctx, env, command.Upload, p.Tab, p.after, params, uploaded)
})

// receiver refuses what names neither an element nor an endpoint, or both.
func receiver(t command.Target, endpoint string, submit bool) error {
	if endpoint == "" {
		return aimed(t)
	}
	if aimed(t) == nil || submit {
		return problem.New(problem.InvalidParam, "Give either api_endpoint, or an element and submit.",
			"files go to an element or to api_endpoint, not to both.")
	}
	return nil
}

// places are where this caller may save, and read what is to go to a page.
func (env Env) places() save.Places { return save.Of(env.Call, env.Dir) }

// files reads the files that an upload names. Those that are not too large together come with their bytes.
func (env Env) files(paths []string) ([]command.File, error) {
	var out []command.File
	left := int64(inlined)
	for _, path := range paths {
		source, err := env.places().Read(path, left)
		if err != nil {
			return nil, err
		}
		f := command.File{
			Path: source.Path, Name: source.Name, Type: mediaType(source.Name),
			Size: float64(source.Size), Modified: float64(source.Modified.UnixMilli()),
		}
		if source.Data != nil && left >= 0 {
			f.Inline, f.Data = true, base64.StdEncoding.EncodeToString(source.Data)
		}
		left -= source.Size
		out = append(out, f)
	}
	if left < 0 { // a part of them is of no use in the page
		for i := range out {
			out[i].Inline, out[i].Data = false, ""
		}
	}
	return out, nil
}

// uploaded says what the page has of the files, and what the act led to.
func uploaded(r command.ActResult) []string {
	u := r.Upload
	if u == nil {
		return acted(r)
	}
	var out []string
	for _, f := range u.Files {
		line := fmt.Sprintf("%q, %s", answer.Cut(answer.Clean(f.Name), 120), answer.Bytes(int64(f.Size)))
		if f.Type != "" {
			line += ", " + answer.Cut(answer.Clean(f.Type), 80)
		}
		has := "the page has "
		if u.Route == "endpoint" {
			has = "sent "
		}
		out = append(out, has+line)
	}
	out = append(out, map[string]string{
		"input": "put into the file input", "drop": "dropped onto the element", "chooser": "given to the file chooser that was opened", "endpoint": endpointInWords(u),
	}[u.Route])
	if u.Answer != "" {
		out = append(out, "answer: "+answer.Clean(u.Answer))
	}
	if len(u.NotAccepted) > 0 {
		var names []string
		for _, n := range u.NotAccepted {
			names = append(names, fmt.Sprintf("%q", answer.Cut(answer.Clean(n), 80)))
		}
		out = append(out, fmt.Sprintf("%s does not fit accept=%q", strings.Join(names, ", "), answer.Clean(u.Accept)))
	}
	if u.Emptied {
		out = append(out, "the page took the files out of the input again, as pages do that keep them themselves")
	}
	if u.Submitted {
		out = append(out, "the form was sent")
	}
	return append(out, acted(r)...)
}

// endpointInWords says what an endpoint answered.
func endpointInWords(u *command.Uploaded) string {
	if u.Status == 0 {
		return "posted to the endpoint, which leads to another address; it was not followed"
	}
	return fmt.Sprintf("posted to the endpoint, which answered %d", u.Status)
}

// mediaType is the media type by a file name's end, as browsers know it; "" for one that they do not know.
func mediaType(name string) string { return mediaTypes[strings.ToLower(filepath.Ext(name))] }

// mediaTypes are those of files that people upload. The system's own table differs from machine to machine.
var mediaTypes = map[string]string{
	".avif": "image/avif", ".bmp": "image/bmp", ".gif": "image/gif", ".ico": "image/x-icon", ".jpeg": "image/jpeg",
	".jpg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml", ".tif": "image/tiff", ".tiff": "image/tiff",
	".webp": "image/webp", ".flac": "audio/flac", ".m4a": "audio/x-m4a", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
	".opus": "audio/ogg", ".wav": "audio/wav", ".m4v": "video/mp4", ".mov": "video/quicktime", ".mp4": "video/mp4",
	".webm": "video/webm", ".css": "text/css", ".csv": "text/csv", ".htm": "text/html", ".html": "text/html",
	".ics": "text/calendar", ".js": "text/javascript", ".mjs": "text/javascript", ".md": "text/markdown",
	".txt": "text/plain", ".xml": "text/xml", ".doc": "application/msword", ".gz": "application/gzip",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".json": "application/json",
	".pdf": "application/pdf", ".ppt": "application/vnd.ms-powerpoint", ".rtf": "application/rtf",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".tar": "application/x-tar",
	".wasm": "application/wasm", ".xls": "application/vnd.ms-excel", ".zip": "application/zip",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
