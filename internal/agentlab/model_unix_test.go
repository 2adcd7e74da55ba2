//go:build unix

package agentlab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// step is what the model does in one answer.
type step struct {
	// say is the text of the answer. A step that has only a text ends the turn.
	say string
	// shell is a command that the agent runs, and list is the agent's task list after the step.
	shell string
	list  []item
	// stall is how long the model keeps the agent waiting before it closes the connection without an answer.
	stall time.Duration
	// refuse is an HTTP status with which the model refuses to answer, for example because of a limit. The function limit sets the headers
	// and returns the body of that answer.
	refuse int
	limit  func(http.Header) any
}

type item struct{ title, state string }

// The states of an item, in the words that most agents use.
const (
	pending = "pending"
	active  = "in_progress"
	done    = "completed"
)

// model is a simulated language model that listens on the loopback interface. It speaks the protocols of all agents that these tests run,
// and its answers come from a script.
type model struct {
	*httptest.Server
	// turns has the steps of each turn. The last turn is also the answer to all later prompts.
	turns [][]step

	mu       sync.Mutex
	requests []string
	// stalls counts the requests that the model left waiting.
	stalls  int
	refused int
	// ended is closed when the test is over, so that nobody waits for a stalled answer.
	ended chan struct{}
}

func newModel(t *testing.T, turns ...[]step) *model {
	m := &model{turns: turns, ended: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		close(m.ended)
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

// request has the parts of an agent's request that the model reads.
type request struct {
	Messages, Input, Contents json.RawMessage
	Tools                     []json.RawMessage
	Stream                    bool
	Model                     string
}

func (q request) conversation() []byte {
	return bytes.Join([][]byte{q.Messages, q.Input, q.Contents}, nil)
}

// traces finds prompts, and the marks that the model puts into the answers of its script. Agents send the whole conversation with each
// request. So the last mark in a request shows which step is next, even if the agent repeats a request.
var traces = regexp.MustCompile(`Do the job|# Continue run|mark-(\d+)-(\d+)`)

// next returns the position of the step that a request asks for.
func (q request) next() (turn, at int) {
	for _, m := range traces.FindAllSubmatch(q.conversation(), -1) {
		if len(m[1]) == 0 {
			if at > 0 || turn == 0 { // a second prompt without an answer in between is a repetition, and does not begin a turn
				turn, at = turn+1, 0
			}
			continue
		}
		turn, _ = strconv.Atoi(string(m[1]))
		at, _ = strconv.Atoi(string(m[2]))
		at++
	}
	return max(turn, 1), at
}

// stalled reports whether the simulated language model has left a request waiting, now or earlier.
func (m *model) stalled() bool { return m.stallCount() > 0 }

// stallCount returns how many requests the simulated language model has left waiting, now or earlier.
func (m *model) stallCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stalls
}

func (m *model) refusals() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused
}

// lift makes the simulated language model answer at a step at which it refused before.
func (m *model) lift(turn, at int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns[turn][at].refuse = 0
}

// asked reports whether anybody has asked the simulated language model anything.
func (m *model) asked() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests) > 0
}

func (m *model) step(turn, at int) step {
	m.mu.Lock()
	defer m.mu.Unlock()
	steps := m.turns[min(turn, len(m.turns))-1]
	return steps[min(at, len(steps)-1)]
}

// before returns the task list before a step.
func (m *model) before(turn, at int) (list []item) {
	for n := range min(turn, len(m.turns)) {
		for i, s := range m.turns[n] {
			if n == turn-1 && i >= at {
				return list
			}
			if s.list != nil {
				list = s.list
			}
		}
	}
	return list
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, r.Method+" "+r.URL.Path+" "+string(body))
	m.mu.Unlock()
	speak := protocolOf(r.URL.Path)
	switch {
	case r.Method != http.MethodPost, strings.Contains(r.URL.Path, "ount"): // the agent asks only for a list of models or a count of tokens
		reply(w, map[string]any{"object": "list", "models": []any{}, "data": []any{map[string]any{"id": "fake", "object": "model"}}, "input_tokens": 100, "totalTokens": 100})
		return
	case speak == nil:
		reply(w, map[string]any{})
		return
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, "cannot read the request: "+err.Error(), http.StatusBadRequest)
		return
	}
	q.Stream = q.Stream || strings.Contains(r.URL.Path, "stream")
	if len(q.Tools) == 0 || string(q.Tools[0]) == "{}" { // without tools, the agent asks only for a title or a summary
		speak(w, q, answer{id: "side", text: "ok"})
		return
	}
	turn, at := q.next()
	s := m.step(turn, at)
	switch {
	case s.stall > 0:
		m.mu.Lock()
		m.stalls++
		m.mu.Unlock()
		select {
		case <-time.After(s.stall):
		case <-r.Context().Done():
		case <-m.ended:
		}
		panic(http.ErrAbortHandler)
	case s.refuse > 0:
		m.mu.Lock()
		m.refused++
		m.mu.Unlock()
		refused := s.limit(w.Header())
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.refuse)
		_ = json.NewEncoder(w).Encode(refused) // an error means that the agent has closed the connection
		return
	}
	a := answer{id: fmt.Sprint(time.Now().UnixNano()), text: fmt.Sprintf("%s (mark-%d-%d)", s.say, turn, at)}
	for i, c := range toolsFor(body).calls(s, m.before(turn, at)) {
		c.id = fmt.Sprintf("call_%s_%d", a.id, i)
		a.calls = append(a.calls, c)
	}
	speak(w, q, a)
}

// saw reports whether any request contained a text.
func (m *model) saw(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.requests {
		if strings.Contains(r, text) {
			return true
		}
	}
	return false
}

// answer is what the model says, before it is written in the protocol of an agent.
type answer struct {
	id    string
	text  string
	calls []call
}

type call struct {
	id, tool string
	input    any
}

func (c call) text() string {
	b, err := json.Marshal(c.input)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error means that the agent has closed the connection
}
