package wire

// RPCStatus is a refusal of /v1/logs, /v1/traces and /v1/metrics: a google.rpc.Status with the problem beside it.
type RPCStatus struct {
	Code    int    `json:"code"`    // of gRPC
	Message string `json:"message"` // what is wrong and what is to be done
	Problem
}
