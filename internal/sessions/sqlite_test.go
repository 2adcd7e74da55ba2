package sessions

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recordedStore returns a database of OpenCode and its log, as the program left them.
func recordedStore(t testing.TB, name string) (main, log []byte) {
	t.Helper()
	path := filepath.Join("testdata/stores/opencode", name, "opencode.db")
	main, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log, _ = os.ReadFile(path + "-wal")
	return main, log
}

// readStore reads a database in a home folder, whatever it contains.
func readStore(t testing.TB, home string, main, log []byte) Result {
	t.Helper()
	put(t, home, ".local/share/opencode/opencode.db", string(main))
	_ = os.Remove(filepath.Join(home, ".local/share/opencode/opencode.db-wal"))
	if log != nil {
		put(t, home, ".local/share/opencode/opencode.db-wal", string(log))
	}
	began := time.Now()
	found := Read(at(home), trees)
	if took := time.Since(began); took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
	return found
}

// TestOpencode_damaged changes databases so that they are none any more. Each row says what is left of the one session.
func TestOpencode_damaged(t *testing.T) {
	t.Parallel()
	const unknown = "its store has an unknown form"
	set := func(at int, to ...byte) func(main, log []byte) ([]byte, []byte) {
		return func(main, log []byte) ([]byte, []byte) { copy(main[at:], to); return main, log }
	}
	for _, c := range []struct {
		what, store string
		change      func(main, log []byte) ([]byte, []byte)
		want        string
	}{
		{"as it was", "question", set(0), "ok waits"},
		{"everything in the log", "kill-stream-headless", set(0), "ok cut"},
		{"without its log", "kill-stream-headless", func(main, _ []byte) ([]byte, []byte) { return main, nil }, unknown},
		{"an empty file", "question", func(_, _ []byte) ([]byte, []byte) { return nil, nil }, unknown},
		{"another kind of file", "question", set(0, 'P', 'K'), unknown},
		{"another encoding", "question", set(56, 0, 0, 0, 2), unknown},
		{"another journal", "question", set(18, 1, 1), unknown},
		{"pages of no size", "question", set(16, 0, 0), unknown},
		{"pages of an odd size", "question", set(16, 3, 7), unknown},
		{"pages without room", "question", set(20, 255), "ok waits"},
		{"half of it", "question", func(main, _ []byte) ([]byte, []byte) { return main[:len(main)/2], nil }, unknown},
		{"an empty log", "question", func(main, _ []byte) ([]byte, []byte) { return main, []byte{} }, "ok waits"},
		{"a log of noise", "question", func(main, _ []byte) ([]byte, []byte) { return main, bytes.Repeat([]byte("noise"), 5000) }, "ok waits"},
		{"a log whose last commit is torn", "kill-stream-headless", func(main, log []byte) ([]byte, []byte) { return main, log[:len(log)-100] }, "ok"},
		{"a log with a wrong sum", "kill-stream-headless", func(main, log []byte) ([]byte, []byte) { log[24]++; return main, log }, unknown},
	} {
		main, log := recordedStore(t, c.store)
		main, log = c.change(main, log)
		found := readStore(t, t.TempDir(), main, log)
		got := found.Looked["opencode"]
		for _, s := range found.Sessions {
			got += " " + string(s.State)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestOpencode_circles lets the pages of a database refer to each other so that a reader could go on for ever.
func TestOpencode_circles(t *testing.T) {
	t.Parallel()
	main, _ := recordedStore(t, "question")
	size := int(binary.BigEndian.Uint16(main[16:]))
	var tables map[string]table
	path := put(t, t.TempDir(), "opencode.db", string(main))
	if err := readDatabase(path, func(d *database) error { tables = d.tables; return nil }); err != nil {
		t.Fatal(err)
	}
	// fill makes a page of as many equal cells as it has room for
	chain := uint32(len(main) / size)
	main = append(main, make([]byte, 12*size)...)
	fill := func(page uint32, kind byte, right uint32, cell []byte) {
		data := main[int(page-1)*size : int(page)*size]
		clear(data)
		at, from := size-len(cell), 12
		copy(data[at:], cell)
		cells := (at - from) / 2
		data[0] = kind
		binary.BigEndian.PutUint16(data[3:], uint16(cells))
		binary.BigEndian.PutUint32(data[8:], right)
		if kind == tableLeaf || kind == indexLeaf {
			from = 8
		}
		for i := range cells {
			binary.BigEndian.PutUint16(data[from+2*i:], uint16(at))
		}
	}
	number := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	session := tables["session"].root
	index := tables["message_session_time_created_id_idx"].root
	for what, damage := range map[string]func(){
		"each page below itself": func() { fill(session, tableInside, session, append(number(session), 1)) },
		"branches that meet again": func() {
			fill(session, tableInside, chain+1, append(number(chain+1), 1))
			for n := chain + 1; n < chain+12; n++ {
				fill(n, tableInside, n+1, append(number(n+1), 1))
			}
			fill(chain+12, tableLeaf, 0, []byte{2, 1, 2, 8})
		},
		"branches that meet again at nothing": func() {
			fill(session, tableInside, chain+1, append(number(chain+1), 1))
			for n := chain + 1; n < chain+12; n++ {
				fill(n, tableInside, n+1, append(number(n+1), 1))
			}
			main[int(chain+11)*size] = tableLeaf
		},
		"a text that never ends":        func() { fill(session, tableLeaf, 0, append([]byte{0x9f, 0xff, 0xff, 0x7f, 1}, make([]byte, 600)...)) },
		"an index below itself":         func() { fill(index, indexInside, index, append(number(index), 3, 2, 0, 0)) },
		"cells that share a large text": func() { fill(session, tableLeaf, 0, append([]byte{0x9d, 0x00, 1, 0x9d, 0x00}, make([]byte, 3584)...)) },
	} {
		saved := bytes.Clone(main)
		damage()
		found := readStore(t, t.TempDir(), main, nil)
		if len(found.Sessions) > 0 {
			t.Errorf("%s: %v", what, found)
		}
		main = saved
	}
}

// TestOpencode_noise changes single bytes and lengths. Whatever is read then, the reader comes back.
func TestOpencode_noise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	home := t.TempDir()
	for _, name := range []string{"question", "kill-stream-headless"} {
		main, log := recordedStore(t, name)
		for range 150 {
			m, l := bytes.Clone(main), bytes.Clone(log)
			for range 1 + random.IntN(20) {
				m[random.IntN(len(m))] = byte(random.Uint32())
				if len(l) > 0 {
					l[random.IntN(len(l))] = byte(random.Uint32())
				}
			}
			if random.IntN(4) == 0 {
				m, l = m[:random.IntN(len(m))], l[:random.IntN(len(l)+1)]
			}
			readStore(t, home, m, l)
		}
	}
}

// TestOpencode_busy changes the store during each look. What was read may then be a mixture, so nothing is said about the sessions.
func TestOpencode_busy(t *testing.T) {
	t.Parallel()
	main, _ := recordedStore(t, "question")
	path := put(t, t.TempDir(), "opencode.db", string(main))
	looks := 0
	err := stable(path, func(*database) error {
		looks++
		return os.Chtimes(path, recorded, recorded.Add(time.Duration(looks)))
	})
	if err == nil || err.Error() != errBusy.Error() || looks < 2 {
		t.Errorf("%v after %d looks", err, looks)
	}
	looks = 0
	err = stable(path, func(*database) error {
		if looks++; looks > 1 {
			return nil
		}
		return os.Chtimes(path, recorded, recorded)
	})
	if err != nil || looks != 2 {
		t.Errorf("%v after %d looks", err, looks)
	}
}

func TestColumnsOf(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"CREATE TABLE a (id text, b integer)": "id b",
		"CREATE TABLE `a` (\n\t`id` text PRIMARY KEY,\n\t`b` text DEFAULT '(,' NOT NULL,\n\t\"c\" int)": "id b c",
		"CREATE TABLE a (id text CHECK (id IN ('a', 'b')), [b] numeric(3, 4), CONSTRAINT x)":            "id b constraint",
		"CREATE TABLE a (":   "",
		"CREATE TABLE a (id": "",
		"":                   "",
	} {
		if got := strings.Join(columnsOf(sql), " "); got != want {
			t.Errorf("%q has the columns %q, want %q", sql, got, want)
		}
	}
}

// TestOpencode_small reads a database of small pages, so that its tables and its indexes are trees and its texts go over several pages.
func TestOpencode_small(t *testing.T) {
	t.Parallel()
	found := readStore(t, t.TempDir(), smallStore(t), nil)
	var got []string
	for _, s := range found.Sessions {
		got = append(got, fmt.Sprint(s.ID, ", ", s.Title, ": ", s.Detail))
	}
	want := []string{"ses_1, Title 1: end of msg_1_4 part 1", "ses_0, Title 0: end of msg_0_4 part 1"} // 2 is elsewhere, 3 was put away
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q (%v)", got, want, found.Looked)
	}
}

func smallStore(t testing.TB) []byte {
	t.Helper()
	main, err := os.ReadFile("testdata/small.db")
	if err != nil {
		t.Fatal(err)
	}
	return main
}

// logOf makes a valid log of frames, each with the number of its page, the size of the database if it is the last one of a commit, and the page.
func logOf(page int, frames []byte) []byte {
	order := binary.BigEndian
	h := []byte{0x37, 0x7f, 6, 0x83, 0, 0x2d, 0xe2, 0x18}
	h = order.AppendUint32(h, uint32(page))
	h = append(h, 0, 0, 0, 1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
	a, b := checksum(order, h, 0, 0)
	out := order.AppendUint32(order.AppendUint32(h, a), b)
	for ; len(frames) >= 8+page; frames = frames[8+page:] {
		a, b = checksum(order, frames[:8], a, b)
		a, b = checksum(order, frames[8:8+page], a, b)
		out = append(append(out, frames[:8]...), h[16:24]...)
		out = order.AppendUint32(order.AppendUint32(out, a), b)
		out = append(out, frames[8:8+page]...)
	}
	return out
}

// TestOpencode_log puts changed pages into a log. A page counts from its commit on.
func TestOpencode_log(t *testing.T) {
	t.Parallel()
	const page = 512
	main := smallStore(t)
	var frames []byte
	for n := range len(main) / page { // the last commit is missing
		changed := bytes.ReplaceAll(main[n*page:(n+1)*page], []byte("Title"), []byte("Other"))
		frames = append(binary.BigEndian.AppendUint32(frames, uint32(n+1)), 0, 0, 0, 0)
		frames = append(frames, changed...)
	}
	read := func() string {
		return fmt.Sprint(readStore(t, t.TempDir(), main, logOf(page, frames)).Sessions[0].Title)
	}
	if got := read(); got != "Title 1" {
		t.Errorf("before the commit: %s", got)
	}
	frames[len(frames)-page-1] = byte(len(main) / page)
	if got := read(); got != "Other 1" {
		t.Errorf("after the commit: %s", got)
	}
}

// FuzzDatabase gives any bytes to the reader of databases: as the main file, and as pages in its log, whose sums are right.
func FuzzDatabase(f *testing.F) {
	const page = 512
	main := smallStore(f)
	f.Add(main, []byte{})
	f.Add(main[:page], append([]byte{0, 0, 0, 2, 0, 0, 0, 9}, main[page:2*page]...))
	f.Add(main, append([]byte{0, 0, 0, 3, 0, 0, 0, 9}, main[5*page:6*page]...))
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, main, frames []byte) {
		var log []byte
		if len(frames) > 0 {
			log = logOf(page, frames)
		}
		for _, s := range readStore(t, home, main, log).Sessions {
			if shown := fmt.Sprint(s.Title, s.Detail, s.Dir); !id.MatchString(s.ID) || shown != clean(shown) {
				t.Errorf("session %q: %q is not fit for a screen", s.ID, shown)
			}
		}
	})
}
