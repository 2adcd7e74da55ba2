package remote

import "testing"

// Each case has the words of a server or transport for a failed push, as git 2.39 or git 2.55 prints them.
func TestJudge_knowsTheWordsOfServers(t *testing.T) {
	t.Parallel()
	const ref = ":refs/resume/journal/a\t"
	for _, c := range []struct {
		name, out, complaint string
		want                 Outcome
	}{
		{"git compared before it sent anything", "To x\n!\ta" + ref + "[rejected] (stale info)\nDone\n", "error: failed to push some refs to 'x'", Stale},
		{"the other ref of an atomic push", "To x\n!\ta" + ref + "[rejected] (atomic push failed)\n!\tb:refs/y\t[rejected] (stale info)\n", "error: atomic push failed for ref refs/y. status: 5", Stale},
		{"the server lost a race", "!\ta" + ref + "[remote rejected] (failed to update ref)\n", "remote: error: cannot lock ref 'refs/resume/journal/a': is at 1 but expected 2", Stale},
		{"the ref was created meanwhile", "!\ta" + ref + "[remote rejected] (reference already exists)\n", "", Stale},
		{"a hook refused", "!\ta" + ref + "[remote rejected] (pre-receive hook declined)\n", "remote: no", Refused},
		{"a lock was left", "!\ta" + ref + "[remote rejected] (failed to update ref)\n", "remote: error: cannot lock ref 'x': Unable to create 'x.lock': File exists.", Refused},
		{"a lock was left, git 2.55", "!\ta" + ref + "[remote rejected] (reference already exists)\n", "remote: error: cannot lock ref 'x': Unable to create 'x.lock': File exists.", Refused},
		{"the ref was created meanwhile, git 2.55", "!\ta" + ref + "[remote rejected] (reference already exists)\n", "remote: error: cannot lock ref 'x': reference already exists", Stale},
		{"the server lost a race, git 2.55", "!\ta" + ref + "[remote rejected] (incorrect old value provided)\n", "", Stale},
		{"a hidden ref", "!\ta" + ref + "[remote rejected] (deny updating a hidden ref)\n", "", Refused},
		{"no atomic pushes", "", "fatal: the receiving end does not support --atomic push", Refused},
		{"the server died", "!\ta" + ref + "[remote failure] (remote failed to report status)\n", "error: failed to push some refs", Unclear},
		{"the connection was cut", "", "send-pack: unexpected disconnect while reading sideband packet\nthe remote end hung up unexpectedly", Unclear},
		{"only the atomic line is there", "!\ta" + ref + "[rejected] (atomic push failed)\n", "", Unclear},
		{"no permission", "", "unable to access 'http://x/': The requested URL returned error: 403", Unclear},
		{"nothing at all", "", "", Unclear},
	} {
		if got := judge(c.out, c.complaint); got.Outcome != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

// Whatever a server prints, a push that failed is never taken for one that succeeded.
func FuzzJudge(f *testing.F) {
	f.Add("!\ta:b\t[rejected] (stale info)\n", "error")
	f.Add("*\ta:b\t[new reference]\nDone\n", "")
	f.Fuzz(func(t *testing.T, out, complaint string) {
		if got := judge(out, complaint); got.Outcome != Stale && got.Outcome != Refused && got.Outcome != Unclear {
			t.Errorf("%+v", got)
		}
	})
}
