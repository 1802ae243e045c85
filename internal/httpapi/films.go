package httpapi

import (
	"net/http"

	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

func (s *Server) beginFilm(w http.ResponseWriter, r *http.Request) error {
	var in wire.FilmBegin
	if err := s.decode(r, &in); err != nil {
		return err
	}
	id, err := sessionOf(in.Session)
	if err != nil {
		return err
	}
	if in.Tab <= 0 || in.FPS < 1 || in.FPS > 60 {
		return problem.New(problem.InvalidParam, "Name the tab, and 1–60 pictures a second.", "tab %d, fps %d.", in.Tab, in.FPS)
	}
	tab := s.tab(wire.Tab{ID: in.Tab, URL: in.URL, Title: in.Title})
	begun, err := s.cfg.Films.Begin(film.Info{Session: id, Tab: tab.ID, URL: tab.URL, Display: tab.Title, FPS: in.FPS})
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, wire.FilmBegun{Name: begun.Name, Path: begun.Path})
	return nil
}

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
