package checkpoint

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"pgregory.net/rapid"
)

func someEvent(t *rapid.T) Event {
	text := rapid.StringN(0, 40, 200)
	oid := rapid.StringMatching("[0-9a-f]{40}")
	e := Event{
		Seq: SeqText(rapid.Int64Range(1, 9_999_999_999).Draw(t, "seq")), ID: rapid.StringMatching("[a-z0-9]{1,10}\\.[1-9]").Draw(t, "id"),
		At:    time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "at")).UTC(),
		Event: Kind(rapid.StringMatching("[a-z]+\\.[a-z]+").Draw(t, "event")),
		Task:  TaskID(rapid.StringMatching("([a-zA-Z0-9_][a-zA-Z0-9._-]{0,20})?").Draw(t, "task")), Title: text.Draw(t, "title"), Text: text.Draw(t, "text"),
		Commit: object.ID(oid.Draw(t, "commit")), Found: rapid.Bool().Draw(t, "found"), V: Version,
		Options: rapid.SliceOfN(text, 1, 3).Draw(t, "options"), Epoch: rapid.IntRange(0, 1000).Draw(t, "epoch"),
	}
	if rapid.Bool().Draw(t, "has exit code") {
		n := rapid.IntRange(-1, 255).Draw(t, "exit code")
		e.ExitCode = &n
	}
	if rapid.Bool().Draw(t, "has actor") {
		e.Actor = &Actor{Host: rapid.StringMatching("[a-z.]{0,20}").Draw(t, "host"), PID: rapid.IntRange(0, 1<<22).Draw(t, "pid"), Command: text.Draw(t, "command")}
	}
	return e
}

func TestEncode_isReadBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := someEvent(t)
		text, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "\n") != 1 || text[len(text)-1] != '\n' {
			t.Fatalf("not one line: %q", text)
		}
		if !strings.HasPrefix(string(text), `{"seq":"`) || !strings.HasSuffix(string(text), `"v":1}`+"\n") {
			t.Fatalf("seq is not first or v not last: %s", text)
		}
		back, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(e, back) {
			t.Fatalf("wrote %+v\nread  %+v", e, back)
		}
	})
}

func TestEncode_writesTimesAlikeWhateverTheirZone(t *testing.T) {
	zone := time.FixedZone("x", 5*3600)
	a, errA := Event{Seq: SeqText(1), ID: "a.1", Event: RunPaused, At: atWork}.Encode()
	b, errB := Event{Seq: SeqText(1), ID: "a.1", Event: RunPaused, At: atWork.In(zone)}.Encode()
	if errA != nil || errB != nil || string(a) != string(b) || !strings.Contains(string(a), `"at":"2030-01-02T03:04:05.000000Z"`) {
		t.Errorf("%s%s%v %v", a, b, errA, errB)
	}
}

func TestEncode_refusesMoreThan16KB(t *testing.T) {
	e := Event{Seq: SeqText(1), ID: "a.1", Event: RunPaused, At: atWork}
	short, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	room := MaxLine - macLen - len(short) - len(`"text":"",`)
	e.Text = strings.Repeat("x", room)
	text, err := e.Encode()
	if err != nil || len(text) != MaxLine-macLen {
		t.Fatalf("a line of exactly the limit: %d bytes, %v", len(text), err)
	}
	if text = testKey.SignLine(testRun, text); len(text) >= MaxLine {
		t.Fatalf("signed, it has %d bytes", len(text))
	}
	if _, err := Decode(text); err != nil {
		t.Errorf("a line of exactly the limit cannot be read back: %v", err)
	}
	e.Text += "x"
	if _, err := e.Encode(); !errors.Is(err, errLineTooLong) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestDecode_tellsWhatIsNoLine(t *testing.T) {
	good := `{"seq":"0000000001","id":"a.1","event":"run.paused","v":1}`
	if _, err := Decode([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":                      "",
		"not JSON":                   "seq 1",
		"a list":                     "[" + good + "]",
		"cut off":                    good[:len(good)-5],
		"two on a line":              good + good,
		"no seq":                     strings.Replace(good, `"seq":"0000000001",`, "", 1),
		"a short seq":                strings.Replace(good, "0000000001", "1", 1),
		"a long seq":                 strings.Replace(good, "0000000001", "00000000001", 1),
		"seq zero":                   strings.Replace(good, "0000000001", "0000000000", 1),
		"a negative seq":             strings.Replace(good, "0000000001", "-000000001", 1),
		"a signed seq":               strings.Replace(good, "0000000001", "+000000001", 1),
		"a numeric seq":              strings.Replace(good, `"0000000001"`, "1", 1),
		"no id":                      strings.Replace(good, `"id":"a.1",`, "", 1),
		"no event":                   strings.Replace(good, `"event":"run.paused",`, "", 1),
		"a time in words":            strings.Replace(good, `"v":1`, `"v":1,"at":"yesterday"`, 1),
		"a commit that is an option": strings.Replace(good, `"v":1`, `"commit":"--output=/tmp/x","v":1`, 1),
		"a head that is a name":      strings.Replace(good, `"v":1`, `"head":"HEAD","v":1`, 1),
		"a base that is an option":   strings.Replace(good, `"v":1`, `"base":{"name":"--all"},"v":1`, 1),
		"a branch that is no branch": strings.Replace(good, `"v":1`, `"branch":"refs/resume/journal/x-ab2c","v":1`, 1),
		"a worktree above":           strings.Replace(good, `"v":1`, `"admin":"../x","v":1`, 1),
		"a worktree that is above":   strings.Replace(good, `"v":1`, `"admin":"..","v":1`, 1),
		"too long":                   strings.Replace(good, `"v":1`, `"v":1,"x":"`+strings.Repeat("x", MaxLine)+`"`, 1),
	} {
		if l := ParseLine(text); !l.Bad || l.Text != text {
			t.Errorf("%s: read as %+v", name, l.Event)
		}
	}
}

func TestDecode_ignoresUnknownFields(t *testing.T) {
	e, err := Decode([]byte(`{"seq":"0000000007","id":"a.1","event":"task.done","task":"x","mood":{"good":[1,2]},"v":1}`))
	if err != nil || e.Task != "x" || e.Event != TaskDone {
		t.Errorf("%+v, %v", e, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, l := range []Line{
		line(1, "a.1", Event{Event: RunStarted, Base: &Base{"main", "abc"}, Actor: &Actor{PID: 1}}),
		line(2, "a.2", Event{Event: TaskDone, Task: "x", Options: []string{"a"}}),
	} {
		f.Add([]byte(l.Text))
	}
	f.Add([]byte(`{"seq":"0000000001","SEQ":"0000000002","id":"\u0000","event":"e","at":"2030-01-02T03:04:05+14:00"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode(data)
		if err != nil {
			return
		}
		text, err := e.Encode()
		if err != nil {
			return // the line became too long, because escape sequences are longer than the bytes they stand for
		}
		again, err := Decode(text)
		if err != nil {
			t.Fatalf("%q was read, written as %q, and could not be read: %v", data, text, err)
		}
		twice, err := again.Encode()
		if err != nil || string(twice) != string(text) {
			t.Fatalf("wrote %q, then %q (%v)", text, twice, err)
		}
	})
}

func FuzzParseLine(f *testing.F) {
	f.Add("x\ny\r\n\n{}", true)
	f.Add(line(1, "a.1", Event{Event: TaskDone, Task: "x"}).Text+"\r", false)
	f.Fuzz(func(t *testing.T, text string, twice bool) {
		var lines []Line
		for s := range strings.SplitSeq(text, "\n") {
			l := ParseLine(s)
			if l.Text != s {
				t.Fatalf("%q was kept as %q", s, l.Text)
			}
			lines = append(lines, l)
		}
		want := Fold(testRun, lines, nil)
		if got := Fold(testRun, append(lines, lines...), nil); !same(got, want) {
			t.Fatalf("once %+v\ntwice %+v", want, got)
		}
	})
}
