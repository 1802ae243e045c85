package command

// This file declares the params and results of the kinds that look at what a site has stored in the browser, and that
// take it away and bring it back as a checkpoint. Package checkpoint tells what a checkpoint is made of.

// StateChunk is how many bytes of a checkpoint one command carries at most, before base64. The params of a command and
// the body of an answer have room for it.
const StateChunk = 2 << 20

// SaveStateParams is for save_state. Parts names what is taken: local, session, cookies, indexeddb, forms.
type SaveStateParams struct {
	Toast
	Parts []string `json:"parts" required:"true" length:"5" doc:"what is taken"`
}

// SavedState is what the tab's site has stored. Tab and Page are sections of a checkpoint: JSON, compressed by gzip,
// in base64. Page is cut in chunks of StateChunk bytes; the first is here.
type SavedState struct {
	Origin string `json:"origin"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Tab    string `json:"tab_section"`
	Token  string `json:"token"`  // names the page section for state_part
	Chunks int    `json:"chunks"` // of the page section
	Page   string `json:"page_section"`
	// What a checkpoint does not have: the Cache API, the private file system and service workers, counted; frames of other
	// origins and frames that did not answer. At most 20.
	NotCovered []string `json:"not_covered,omitempty"`
}

// StatePartParams is for state_part.
type StatePartParams struct {
	Token string `json:"token" required:"true" length:"64" doc:"of save_state's answer"`
	Chunk int    `json:"chunk" required:"true" min:"0" max:"1000" doc:"which, from 0"`
}

// StatePart is one chunk of a page section in base64.
type StatePart struct {
	Page string `json:"page_section"`
}

// StatePutParams is for state_put. The extension keeps the chunks that come in order, for one load_state.
type StatePutParams struct {
	Token string `json:"token" required:"true" length:"64" doc:"names the checkpoint that is loaded"`
	Chunk int    `json:"chunk" required:"true" min:"0" max:"1000" doc:"which, from 0"`
	Page  string `json:"page_section" required:"true" length:"4000000" doc:"of the page section, in base64"`
}

// StatePutResult says how many chunks are there.
type StatePutResult struct {
	Chunks int `json:"chunks"`
}

// LoadStateParams is for load_state. Page is the last chunk of the page section; state_put brought those before it.
type LoadStateParams struct {
	Toast
	Origin string   `json:"origin" required:"true" length:"2000" doc:"whose checkpoint it is"`
	URL    string   `json:"url,omitempty" length:"100000" doc:"where to go; default where the tab is"`
	Parts  []string `json:"parts" required:"true" length:"5" doc:"what is brought back"`
	Tab    string   `json:"tab_section" required:"true" length:"4000000" doc:"cookies and fields"`
	Token  string   `json:"token" required:"true" length:"64" doc:"names the checkpoint that is loaded"`
	Chunks int      `json:"chunks" required:"true" min:"1" max:"1000" doc:"of the page section"`
	Page   string   `json:"page_section" required:"true" length:"4000000" doc:"its last chunk, in base64"`
}

// LoadedState is the page that came with the state that was brought back. Differs names what was read back and is not
// as it was saved, never with values; it is empty when all is.
type LoadedState struct {
	PageResult
	Restored []string `json:"restored"`          // what was brought back and is as saved, in words
	Differs  []string `json:"differs,omitempty"` // at most 50
	// What the site stores that a checkpoint does not have, counted; it was left as it is. At most 3.
	NotCovered []string `json:"not_covered,omitempty"`
}

// StorageLookParams is for storage.
type StorageLookParams struct {
	StorageType string `json:"storage_type,omitempty" enum:"all,local,session,cookies,indexeddb" doc:"which one; default all"`
	Key         string `json:"key,omitempty" length:"10000" doc:"only this entry or cookie, with its value"`
	Summary     *bool  `json:"summary,omitempty" doc:"counts and keys instead of entries; default true"`
	Limit       int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000; default 50"`
	Frame       string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// StorageResult is what the origin of a document has stored. What was not asked for is nil.
type StorageResult struct {
	URL       string        `json:"url"`
	Local     *Stored       `json:"local_storage,omitempty"`
	Session   *Stored       `json:"session_storage,omitempty"`
	Cookies   *CookieJar    `json:"cookies,omitempty"`
	Databases *DatabaseList `json:"indexeddb,omitempty"`
}

// Stored is a storage with its entries.
type Stored struct {
	Unavailable string        `json:"unavailable,omitempty"` // why the document has none
	KeyCount    int           `json:"key_count"`
	TotalBytes  int           `json:"total_bytes"` // of keys and values, two for each UTF-16 unit
	SampleKeys  []string      `json:"sample_keys,omitempty"`
	Entries     []StoredEntry `json:"entries,omitempty"`
}

// StoredEntry is one entry of a storage.
type StoredEntry struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Size    int    `json:"size"`              // characters of the whole value
	Unshown bool   `json:"unshown,omitempty"` // the value is too long to be shown
}

// CookieJar is the cookies that the browser would send to the document's host, whatever their path.
type CookieJar struct {
	Unavailable string       `json:"unavailable,omitempty"`
	Count       int          `json:"count"`
	HTTPOnly    int          `json:"http_only_count"`
	Cookies     []CookieLook `json:"cookies,omitempty"`
}

// CookieLook is a cookie. The value of an HttpOnly one stays in the browser.
type CookieLook struct {
	Name     string `json:"name"`
	Value    string `json:"value,omitempty"`
	Size     int    `json:"size"` // characters of name and value
	Domain   string `json:"domain,omitempty"`
	Path     string `json:"path,omitempty"`
	Expires  string `json:"expires,omitempty"` // RFC 3339; "" when the browser's end takes it
	HTTPOnly bool   `json:"http_only,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
	SameSite string `json:"same_site,omitempty"`
	Site     string `json:"partition,omitempty"` // of a cookie that is kept for one top-level site
}

// DatabaseList is the IndexedDB databases of an origin.
type DatabaseList struct {
	Supported   bool           `json:"supported"`
	Unavailable string         `json:"unavailable,omitempty"`
	Databases   []DatabaseInfo `json:"databases,omitempty"` // at most 50
	More        int            `json:"more,omitempty"`
}

// DatabaseInfo is a database with its object stores.
type DatabaseInfo struct {
	Name        string   `json:"name"`
	Version     float64  `json:"version"`
	Stores      []string `json:"object_stores"` // at most 100
	Unavailable string   `json:"unavailable,omitempty"`
}

// DatabaseParams is for indexeddb.
type DatabaseParams struct {
	Database string `json:"database" required:"true" length:"10000" doc:"which database"`
	Store    string `json:"store" required:"true" length:"10000" doc:"which of its object stores"`
	Limit    int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000; default 20"`
	Frame    string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// DatabaseResult is the first rows of one object store, in the order of their keys.
type DatabaseResult struct {
	URL      string        `json:"url"`
	Database string        `json:"database"`
	Version  float64       `json:"version"`
	Store    string        `json:"store"`
	KeyPath  string        `json:"key_path,omitempty"`
	Indexes  []string      `json:"indexes,omitempty"`
	Entries  []DatabaseRow `json:"entries"`
	Count    int           `json:"count"` // rows of the whole store
	Limit    int           `json:"limit"`
	Stores   []string      `json:"object_stores"` // of the database
}

// DatabaseRow is a row as JSON that people read. What JSON lacks stands as an object with one key that begins with "$",
// or as a word in angle brackets; at most 6 levels and 50 members of each object.
type DatabaseRow struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
