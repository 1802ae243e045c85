package httpapi

import (
	"net/http"

	"github.com/brennhill/gasoline/internal/wire"
)

func (s *Server) film(w http.ResponseWriter, r *http.Request) error {
	var in wire.Film
	if err := s.decode(r, &in); err != nil {
		return err
	}
	id, err := sessionOf(in.Session)
	if err != nil {
		return err
	}
	in.Session = id
	out, err := s.cfg.Films.Take(in)
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, out)
	return nil
}
