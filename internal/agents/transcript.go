package agents

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
)

// Ending says how the transcript of a session ends.
type Ending struct {
	// Finished is true if the agent ended the last turn by itself.
	Finished bool
	// Stop says why the last turn failed or was interrupted. It is empty if the agent ended the turn by itself.
	Stop Stop
	// At is the time of the line that says how the turn ended. It is zero if the line has no time.
	At time.Time
}

// LastEnding reads from the last part of a session's transcript how the last turn ended. ok is false if nothing in it says that, or if
// the agent's transcripts cannot be read.
func LastEnding(agent string, tail []byte, now time.Time) (e Ending, ok bool) {
	read := map[string]func([][]byte, time.Time) (Ending, bool){"claude": claudeEnding, "codex": codexEnding, "copilot": copilotEnding}[agent]
	if read == nil {
		return Ending{}, false
	}
	return read(bytes.Split(tail, []byte("\n")), now)
}

// claudeEnding reads a transcript of Claude Code. It returns false if the newest message does not end the turn.
func claudeEnding(lines [][]byte, now time.Time) (Ending, bool) {
	type limits struct {
		ResetsAt float64 `json:"resetsAt"`
		Type     string  `json:"rateLimitType"`
	}
	for _, line := range slices.Backward(lines) {
		var l struct {
			Type      string    `json:"type"`
			Sidechain bool      `json:"isSidechain"`
			Meta      bool      `json:"isMeta"`
			At        time.Time `json:"timestamp"`
			Failed    bool      `json:"isApiErrorMessage"`
			APIError  string    `json:"apiError"`
			Error     string    `json:"error"`
			Quota     limits    `json:"quotaLimits"`
			Message   struct {
				Stop    string          `json:"stop_reason"`
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &l) != nil || l.Sidechain || l.Meta {
			continue
		}
		switch {
		case l.Type == "user":
			if bytes.Contains(l.Message.Content[:min(len(l.Message.Content), 200)], []byte("[Request interrupted by user")) {
				return Ending{Stop: Stop{Cause: ByUser}, At: l.At}, true
			}
			return Ending{}, false // the user's message has no answer yet, so the turn has not ended
		case l.Type != "assistant":
		case l.Failed || l.APIError != "" || l.Error != "":
			s := Stop{Cause: causeOf(l.Error + " " + l.APIError)}
			if s.Cause == Quota {
				s.Limit = LimitName(l.Quota.Type, 0)
				s.Until = epoch(l.Quota.ResetsAt, now)
			}
			return Ending{Stop: s, At: l.At}, true
		default:
			return Ending{Finished: l.Message.Stop == "end_turn", At: l.At}, l.Message.Stop == "end_turn"
		}
	}
	return Ending{}, false
}

// epoch returns the time at which a limit ends, which is given in seconds since 1970. It returns the zero time if that is not believable.
func epoch(seconds float64, now time.Time) time.Time {
	if seconds <= 0 || seconds > 1e11 || math.IsNaN(seconds) {
		return time.Time{}
	}
	at := time.Unix(int64(seconds), 0).UTC()
	if !Believable(at, now) {
		return time.Time{}
	}
	return at
}

// codexLimit is one limit of Codex.
type codexLimit struct {
	Used    float64 `json:"used_percent"`
	Minutes int     `json:"window_minutes"`
	Resets  float64 `json:"resets_at"`
}

// codexEnding reads a transcript of Codex. It returns false if no line says how the turn ended.
func codexEnding(lines [][]byte, now time.Time) (Ending, bool) {
	var e Ending
	for _, line := range slices.Backward(lines) {
		var l struct {
			At      time.Time `json:"timestamp"`
			Payload struct {
				Type  string `json:"type"`
				Error struct {
					Message loose           `json:"message"`
					Info    json.RawMessage `json:"codex_error_info"`
				} `json:"error"`
				Limits struct {
					Primary   *codexLimit `json:"primary"`
					Secondary *codexLimit `json:"secondary"`
				} `json:"rate_limits"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch p := l.Payload; {
		case e.Stop.Cause == Quota && p.Type == "token_count":
			e.Stop.add(now, p.Limits.Primary, p.Limits.Secondary)
			return e, true
		case e.Stop.Cause == Quota && p.Type != "task_started":
		case e.Stop.Cause == Quota:
			return e, true
		case p.Type == "task_complete" && (p.Error.Message != "" || len(p.Error.Info) > 0):
			e = Ending{Stop: told(string(p.Error.Message), now), At: l.At}
			if e.Stop.Cause = causeOf(string(p.Error.Info) + " " + string(p.Error.Message)); e.Stop.Cause != Quota {
				return Ending{Stop: Stop{Cause: e.Stop.Cause}, At: l.At}, true
			}
		case p.Type == "task_complete":
			return Ending{Finished: true, At: l.At}, true
		case p.Type == "turn_aborted":
			return Ending{Stop: Stop{Cause: ByUser}, At: l.At}, true
		case p.Type == "task_started", p.Type == "user_message":
			return Ending{}, false
		}
	}
	return e, e.Stop.Cause == Quota
}

// add sets the end of a limit that is used up. If several limits are used up, the latest end counts.
func (s *Stop) add(now time.Time, all ...*codexLimit) {
	for _, l := range all {
		if l == nil || l.Used < 100 {
			continue
		}
		if at := epoch(l.Resets, now); at.After(s.Until) || s.Roughly && !at.IsZero() {
			s.Until, s.Limit, s.Roughly = at, LimitName("", l.Minutes), false
		}
	}
}

// copilotEnding reads a transcript of Copilot CLI, which shows the end of a turn only if an error ended it. In all other cases,
// copilotEnding returns false.
func copilotEnding(lines [][]byte, now time.Time) (Ending, bool) {
	for _, line := range slices.Backward(lines) {
		var l struct {
			Type string    `json:"type"`
			At   time.Time `json:"timestamp"`
			Data struct {
				Kind    loose `json:"errorType"`
				Message loose `json:"message"`
				Status  int   `json:"statusCode"`
			} `json:"data"`
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch {
		case l.Type == "session.error":
			text := string(l.Data.Kind) + " " + string(l.Data.Message)
			s := Stop{Cause: causeOf(text)}
			if s.Cause == Quota || l.Data.Status == 429 {
				s = told(text, orNow(l.At, now))
			}
			if !Believable(s.Until, now) {
				s.Until, s.Roughly = time.Time{}, false
			}
			return Ending{Stop: s, At: l.At}, true
		case strings.HasPrefix(l.Type, "user."), strings.HasPrefix(l.Type, "tool."), strings.HasPrefix(l.Type, "assistant."):
			return Ending{}, false
		}
	}
	return Ending{}, false
}

func orNow(at, now time.Time) time.Time {
	if at.IsZero() {
		return now
	}
	return at
}

// loose accepts any JSON value. It keeps a string, and replaces any other value except null by "…".
type loose string

func (l *loose) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) == nil {
		*l = loose(s)
	} else if !bytes.Equal(text, []byte("null")) {
		*l = "…"
	}
	return nil
}
