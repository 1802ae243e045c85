package interact

import "github.com/brennhill/gasoline/internal/answer"

// marshal writes an outcome with the command's own fields beside it, so that a program finds both
// "success" and, say, "matched" at the top.
func marshal(o outcome, result any) ([]byte, error) {
	o.Success = o.Final
	if result == nil {
		return answer.JSON(o)
	}
	own, err := answer.JSON(result)
	if err != nil {
		return nil, err
	}
	shared, err := answer.JSON(o)
	if err != nil {
		return nil, err
	}
	if len(own) <= 2 || own[0] != '{' {
		return shared, nil
	}
	return append(append(shared[:len(shared)-1], ','), own[1:]...), nil
}
