//go:build unix

package agentlab

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type object = map[string]any

// protocolOf returns the function that writes an answer in the protocol of a URL path, or nil for an unknown path.
func protocolOf(path string) func(http.ResponseWriter, request, answer) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic
	case strings.HasSuffix(path, "/responses"):
		return responses
	case strings.HasSuffix(path, "/chat/completions"):
		return chat
	case strings.HasSuffix(path, "enerateContent"):
		return gemini
	}
	return nil
}

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w}
}

// send writes one event. An event without a name has only data.
func (s stream) send(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// anthropic writes an answer as the Messages API of Anthropic does.
func anthropic(w http.ResponseWriter, q request, a answer) {
	reason := "end_turn"
	blocks := []object{{"type": "text", "text": a.text}}
	for _, c := range a.calls {
		blocks, reason = append(blocks, object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.tool, "input": c.input}), "tool_use"
	}
	usage := object{"input_tokens": 100, "output_tokens": 10}
	message := object{"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": q.Model, "content": blocks, "stop_reason": reason, "usage": usage}
	if !q.Stream {
		reply(w, message)
		return
	}
	s := newStream(w)
	message["content"], message["stop_reason"] = []object{}, nil
	s.send("message_start", object{"type": "message_start", "message": message})
	for i, b := range blocks {
		begin, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			begin = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": a.calls[i-1].text()}
		}
		s.send("content_block_start", object{"type": "content_block_start", "index": i, "content_block": begin})
		s.send("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		s.send("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	s.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reason}, "usage": usage})
	s.send("message_stop", object{"type": "message_stop"})
}

// responses writes an answer as the Responses API of OpenAI does.
func responses(w http.ResponseWriter, q request, a answer) {
	items := []object{{"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": a.text, "annotations": []any{}}}}}
	for _, c := range a.calls {
		items = append(items, object{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.tool, "arguments": c.text(), "status": "completed"})
	}
	whole := object{
		"id": "resp_" + a.id, "object": "response", "status": "completed", "model": q.Model, "output": items,
		"usage": object{"input_tokens": 100, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 110},
	}
	if !q.Stream {
		reply(w, whole)
		return
	}
	s, n := newStream(w), 0
	event := func(kind string, more object) {
		more["type"], more["sequence_number"] = kind, n
		n++
		s.send(kind, more)
	}
	event("response.created", object{"response": object{"id": "resp_" + a.id, "object": "response", "status": "in_progress", "output": []any{}}})
	for i, it := range items {
		event("response.output_item.added", object{"output_index": i, "item": it})
		if i == 0 {
			event("response.output_text.delta", object{"item_id": "msg_" + a.id, "output_index": 0, "content_index": 0, "delta": a.text})
		}
		event("response.output_item.done", object{"output_index": i, "item": it})
	}
	event("response.completed", object{"response": whole})
}

// chat writes an answer in the format of OpenAI's chat completions, which other servers use too.
func chat(w http.ResponseWriter, q request, a answer) {
	message, reason := object{"role": "assistant", "content": a.text}, "stop"
	var calls []object
	for i, c := range a.calls {
		calls, reason = append(calls, object{"index": i, "id": c.id, "type": "function", "function": object{"name": c.tool, "arguments": c.text()}}), "tool_calls"
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	usage := object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	part := func(kind string, choice object) object {
		choice["index"] = 0
		return object{"id": "chatcmpl-" + a.id, "object": kind, "created": 1, "model": q.Model, "choices": []object{choice}, "usage": usage}
	}
	if !q.Stream {
		reply(w, part("chat.completion", object{"message": message, "finish_reason": reason}))
		return
	}
	s := newStream(w)
	s.send("", part("chat.completion.chunk", object{"delta": message, "finish_reason": nil}))
	s.send("", part("chat.completion.chunk", object{"delta": object{}, "finish_reason": reason}))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// gemini writes an answer as the API of Gemini does.
func gemini(w http.ResponseWriter, q request, a answer) {
	parts := []object{{"text": a.text}}
	for _, c := range a.calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.tool, "args": c.input}})
	}
	whole := object{
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}, "modelVersion": "fake",
	}
	if !q.Stream {
		reply(w, whole)
		return
	}
	newStream(w).send("", whole)
}

// tools has functions that return calls of one agent's own tools.
type tools struct {
	shell func(command string) call
	// list returns the calls of tools that change the agent's task list from the list "was" to the list "now".
	list func(was, now []item) []call
}

func (t tools) calls(s step, was []item) (out []call) {
	if s.list != nil {
		out = t.list(was, s.list)
	}
	if s.shell != "" {
		out = append(out, t.shell(s.shell))
	}
	return out
}

// toolsFor recognises an agent by the tools that it offers the model. An agent that is not recognised counts as Copilot CLI.
func toolsFor(body []byte) tools {
	has := func(name string) bool { return strings.Contains(string(body), `"name":"`+name+`"`) }
	switch {
	case has("Bash"):
		return tools{shellTool("Bash", "command"), claudeTasks}
	case has("exec_command"):
		return tools{shellTool("exec_command", "cmd"), wholeList("update_plan", "plan", "step")}
	case has("shell_command"):
		return tools{shellTool("shell_command", "command"), wholeList("update_plan", "plan", "step")}
	case has("write_todos"):
		return tools{shellTool("run_shell_command", "command"), wholeList("write_todos", "todos", "description")}
	case has("run_shell_command"):
		return tools{shellTool("run_shell_command", "command"), wholeList("todo_write", "todos", "content")}
	case has("todowrite"):
		return tools{shellTool("bash", "command"), wholeList("todowrite", "todos", "content")}
	}
	return tools{shellTool("bash", "command"), copilotTasks}
}

func shellTool(tool, key string) func(string) call {
	return func(command string) call {
		input := object{key: command, "description": "work"}
		if tool == "run_shell_command" {
			input["is_background"] = false // Qwen Code requires this field
		}
		return call{tool: tool, input: input}
	}
}

// wholeList returns a function that calls a tool with the whole task list. The arguments "key" and "title" are the names that the list and
// the title of an item have in the tool's input.
func wholeList(tool, key, title string) func(_, now []item) []call {
	return func(_, now []item) []call {
		var list []object
		for i, it := range now {
			one := object{title: it.title, "status": it.state}
			if title == "content" { // where the title is called "content", an item also has an id and a priority
				one["id"], one["priority"] = fmt.Sprint(i+1), "high"
			}
			list = append(list, one)
		}
		return []call{{tool: tool, input: object{key: list}}}
	}
}

// claudeTasks returns calls of the tools of Claude Code. Each call creates or changes one task.
func claudeTasks(was, now []item) (out []call) {
	for i, it := range now {
		state := pending
		if i < len(was) {
			state = was[i].state
		} else {
			out = append(out, call{tool: "TaskCreate", input: object{"subject": it.title, "description": it.title}})
		}
		if it.state != state {
			out = append(out, call{tool: "TaskUpdate", input: object{"taskId": fmt.Sprint(i + 1), "status": it.state}})
		}
	}
	return out
}

// copilotTasks returns the calls that write the task list into the database of Copilot CLI.
func copilotTasks(was, now []item) (out []call) {
	for i, it := range now {
		state := strings.Replace(it.state, done, "done", 1)
		query := fmt.Sprintf("UPDATE todos SET status='%s' WHERE id='%d'", state, i+1)
		if i >= len(was) {
			query = fmt.Sprintf("INSERT INTO todos (id,title,description,status) VALUES ('%d','%s','x','%s')", i+1, it.title, state)
		}
		out = append(out, call{tool: "sql", input: object{"description": "tasks", "query": query}})
	}
	return out
}
