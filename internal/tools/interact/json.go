package interact

import "github.com/brennhill/gasoline/internal/answer"

// marshal writes an outcome with the fields of others beside it, so that a program finds both
// "success" and, say, "matched" at the top. What is no object with fields adds none.
func marshal(o outcome, others ...any) ([]byte, error) {
	o.Success = o.Final
	out, err := answer.JSON(o)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		own, err := answer.JSON(other)
		if err != nil {
			return nil, err
		}
		if len(own) > 2 && own[0] == '{' {
			out = append(append(out[:len(out)-1], ','), own[1:]...)
		}
	}
	return out, nil
}
