package view

import "github.com/brennhill/gasoline/internal/event"

// ScriptTasks are the long tasks of one script. Times are ms.
type ScriptTasks struct {
	Script string  `json:"script"`
	Count  int     `json:"count"`
	Total  float64 `json:"total_ms"`
	Most   float64 `json:"longest_ms"`
}

// LongTasks groups long tasks by script and returns the five scripts that held the main thread longest.
func LongTasks(tasks []event.LongTask) []ScriptTasks {
	by := map[string]*ScriptTasks{}
	var order []*ScriptTasks
	for _, t := range tasks {
		s := by[t.Script]
		if s == nil {
			s = &ScriptTasks{Script: t.Script}
			by[t.Script] = s
			order = append(order, s)
		}
		s.Count++
		s.Total += t.Duration
		s.Most = max(s.Most, t.Duration)
	}
	return Most(order, 5, func(s *ScriptTasks) int { return int(s.Total) })
}
