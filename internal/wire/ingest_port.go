package wire

// IngestPort asks for the port on which services give logs and spans and nothing can be read.
type IngestPort struct {
	Port    int `json:"port,omitempty"    doc:"the port that is wanted; 0 is any"`
	Seconds int `json:"seconds,omitempty" doc:"how long it is wanted, 1–600; 60"`
}

// IngestPortAnswer says where it is.
type IngestPortAnswer struct {
	Port int `json:"port"`
}
