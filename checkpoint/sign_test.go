package checkpoint

import (
	"strings"
	"testing"
)

func TestKey_acceptsNothingButTheExactBytes(t *testing.T) {
	t.Parallel()
	text, err := Event{Seq: SeqText(1), ID: "n.1", At: atWork, Event: RunPaused, Text: "why", V: 1}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	good := strings.TrimSuffix(string(testKey.SignLine(testRun, text)), "\n")
	for _, blanks := range []string{"", " ", "\t", "\r", " \t\r "} {
		if !testKey.Wrote(testRun, good+blanks) {
			t.Errorf("with %q at its end it is not ours", blanks)
		}
	}
	cut := strings.Index(good, macOpen)
	body, mac := good[:cut], good[cut+len(macOpen):len(good)-2]
	for name, l := range map[string]string{
		"upper case":           body + macOpen + strings.ToUpper(mac) + macClose,
		"a blank in front":     " " + good,
		"a blank inside":       strings.Replace(good, `,"mac"`, `, "mac"`, 1),
		"a no-break space":     good + "\u00a0",
		"a newline":            good + "\n",
		"cut off":              good[:len(good)-1],
		"a shorter mac":        body + macOpen + mac[:30] + macClose,
		"a longer mac":         body + macOpen + mac + "00" + macClose,
		"mac twice":            body + macOpen + mac + `"` + macOpen + mac + macClose,
		"mac in front":         `{"mac":"` + mac + `",` + body[1:] + "}",
		"something behind it":  strings.TrimSuffix(good, "}") + `,"x":1}`,
		"nothing signed":       macOpen + mac + macClose,
		"no mac":               body + "}",
		"with other words":     strings.Replace(good, "why", "who", 1),
		"encoded another way":  strings.Replace(good, "why", `wh\u0079`, 1),
		"with another number":  strings.Replace(good, SeqText(1), SeqText(2), 1),
		"of an earlier moment": strings.Replace(good, "2030", "2029", 1),
	} {
		if testKey.Wrote(testRun, l) {
			t.Errorf("%s: %q counts as ours", name, l)
		}
	}
	for i := range good {
		changed := []byte(good)
		changed[i] ^= 1
		if testKey.Wrote(testRun, string(changed)) {
			t.Fatalf("byte %d changed, and it counts as ours", i)
		}
	}
	other := &Key{secret: testKey.secret, clone: "another"}
	if testKey.Wrote("other-abcd", good) || other.Wrote(testRun, good) || (&Key{secret: make([]byte, 32), clone: testKey.clone}).Wrote(testRun, good) || (*Key)(nil).Wrote(testRun, good) {
		t.Error("it is ours for another run, clone or key")
	}
}
