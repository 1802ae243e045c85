package interact

import "encoding/json"

// marshal writes an outcome with the command's own fields beside it, so that a program finds both
// "success" and, say, "matched" at the top.
func marshal(o outcome, result any) ([]byte, error) {
	o.Success = o.Final
	if result == nil {
		return json.Marshal(o)
	}
	own, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	shared, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if len(own) <= 2 || own[0] != '{' {
		return shared, nil
	}
	return append(append(shared[:len(shared)-1], ','), own[1:]...), nil
}
