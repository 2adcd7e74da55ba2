package agents

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// failure reads from a payload why a turn failed. Claude Code and Qwen Code give a word, the other agents give an object with a message.
func (p payload) failure(now time.Time) Stop {
	if word := p.text("error"); word != "" {
		s := Stop{Cause: causeOf(word)}
		if s.Cause == Quota {
			s = told(p.text("last_assistant_message"), now)
		}
		return s
	}
	fault := p.inner("error")
	if fault == nil {
		fault = p.inner("properties").inner("error")
	}
	data := fault.inner("data")
	text, status := fault.text("message")+" "+data.text("message"), data.number("statusCode")
	switch {
	case fault.text("name") == "MessageAbortedError":
		return Stop{Cause: ByUser}
	case status == 429, causeOf(text) == Quota:
		return told(text, now)
	case status >= 500:
		return Stop{Cause: Overloaded}
	}
	return Stop{Cause: causeOf(text)}
}

// causeOf translates an agent's word or message for an error into one of our causes. A text that is not understood means Error.
func causeOf(text string) string {
	text = strings.ToLower(text)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("rate_limit", "rate limit", "usage limit", "usage_limit", "quota"):
		return Quota
	case has("overloaded", "server_error", "service unavailable", "internal server"):
		return Overloaded
	}
	return Error
}

// told finds out from a message for people which limit was reached and when it ends. The end counts as approximate.
func told(text string, now time.Time) Stop {
	s := Stop{Cause: Quota, Limit: limitName(text)}
	if at, ok := momentIn(text, now); ok {
		s.Until, s.Roughly = at, true
	}
	return s
}

// limitNames maps words in the messages of agents to our names for limits. The first word of the list that occurs in the message counts.
var limitNames = []struct{ word, name string }{
	{"five_hour", "5-hour limit"}, {"5-hour", "5-hour limit"}, {"5 hour", "5-hour limit"}, {"seven_day", "weekly limit"}, {"weekly", "weekly limit"},
	{"daily", "daily limit"}, {"monthly", "monthly limit"}, {"session limit", "session limit"},
}

// limitName returns our name for the limit that a message is about, or "usage limit" if the message names none.
func limitName(text string) string {
	text = strings.ToLower(text)
	for _, l := range limitNames {
		if strings.Contains(text, l.word) {
			return l.name
		}
	}
	return "usage limit"
}

// LimitName returns our name for a limit that an agent describes by its length in minutes, or otherwise by a word.
func LimitName(word string, minutes int) string {
	switch {
	case minutes == 300:
		return "5-hour limit"
	case minutes == 7*24*60:
		return "weekly limit"
	case minutes == 24*60:
		return "daily limit"
	}
	return limitName(word)
}

var (
	clockWords = pattern(`(?i)(?:resets|again at|at)\s+(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\s*(?:\(([A-Za-z_/+-]{1,40})\))?`)
	spanWords  = pattern(`(?i)\bin\s+(\d{1,4})\s*(m|min|minutes?|h|hours?|d|days?)\b`)
)

// pattern returns a function that compiles a regular expression when it is first called. An agent waits for its hooks, so an expression
// that is not needed is not compiled.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// momentIn finds a time in a sentence, such as "in 2 hours" or "resets 7:41pm (UTC)". The second result is false if the sentence has no
// time, or none that can be believed.
func momentIn(text string, now time.Time) (time.Time, bool) {
	text = text[:min(len(text), 4<<10)]
	if m := spanWords().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1]) // the pattern allows only digits here
		unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[strings.ToLower(m[2])[0]]
		return believed(now.Add(time.Duration(n)*unit), now)
	}
	m := clockWords().FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return time.Time{}, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	switch half := strings.ToLower(m[3]); {
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	if hour > 23 || minute > 59 {
		return time.Time{}, false
	}
	zone := now.Location()
	if m[4] != "" {
		z, err := time.LoadLocation(m[4])
		if err != nil {
			return time.Time{}, false
		}
		zone = z
	}
	day := now.In(zone)
	at := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone)
	if !at.After(now.Add(-time.Minute)) {
		at = at.AddDate(0, 0, 1)
	}
	return believed(at, now)
}

// believed returns the time in UTC. The second result says whether a limit can end at that time. It is false if the time is more than a
// minute ago, or more than longestLimit away.
func believed(at, now time.Time) (time.Time, bool) {
	return at.UTC().Truncate(time.Second), !at.Before(now.Add(-time.Minute)) && at.Sub(now) <= longestLimit
}

// Believable reports whether a limit could end at this time. The time comes from a file that anybody could have written, so a time too long
// before or after now is refused.
func Believable(at, now time.Time) bool {
	return at.Sub(now) <= longestLimit && now.Sub(at) <= longestLimit
}
