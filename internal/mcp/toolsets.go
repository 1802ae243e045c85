package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/toolset"
)

// toolsetHeader names the toolset of a client that comes by HTTP.
const toolsetHeader = "X-Gasoline-Toolset"

// addNamed adds the tools with names of their own. Who sees them is [Server.chosen]'s.
func (s *Server) addNamed() {
	for _, n := range toolset.V2() {
		for _, t := range s.cfg.Tools {
			if t.Name != n.Tool {
				continue
			}
			destructive, open := n.Destructive, n.Open
			s.sdk.AddTool(&sdk.Tool{
				Name: n.Name, Title: n.Title, Description: n.Description, InputSchema: n.Schema,
				Annotations: &sdk.ToolAnnotations{
					ReadOnlyHint: n.ReadOnly, DestructiveHint: &destructive, IdempotentHint: n.Idempotent, OpenWorldHint: &open,
				},
			}, s.handler(t, n.Call))
		}
	}
}

// chosen lets a client see and call the tools of its toolset only.
func (s *Server) chosen(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		has, err := s.toolset(req)
		if err != nil {
			return nil, err
		}
		if call, ok := req.(*sdk.CallToolRequest); ok && !has(call.Params.Name) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", call.Params.Name)}
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch res := res.(type) {
		case *sdk.ListToolsResult:
			res.Tools = slices.DeleteFunc(slices.Clone(res.Tools), func(t *sdk.Tool) bool { return !has(t.Name) })
		case *sdk.InitializeResult:
			if !has("observe") {
				res.Instructions = toolset.Instructions
			}
		}
		return res, nil
	}
}

// toolset tells which tools a client has. Error: there is no toolset of the name that it gave.
func (s *Server) toolset(req sdk.Request) (has func(tool string) bool, err error) {
	name := ""
	if st := s.stream(req.GetSession().ID()); st != nil {
		name = st.peer.Toolset
	} else if extra := req.GetExtra(); extra != nil {
		name = extra.Header.Get(toolsetHeader)
	}
	if has := toolset.Of(name); has != nil {
		return has, nil
	}
	return nil, &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidParams,
		Message: fmt.Sprintf("there is no toolset %.40q; one of %s", name, strings.Join(toolset.Names, ", ")),
	}
}

// refused is the answer to a call whose arguments are no arguments.
func refused(err error) *sdk.CallToolResult {
	text := answer.Refusal(problem.From(err), "")
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}
}
