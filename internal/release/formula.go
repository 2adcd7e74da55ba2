package release

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Sums returns the content of SHA256SUMS, in the form that sha256sum writes and checks.
func Sums(all []Artifact) []byte {
	var out bytes.Buffer
	for _, a := range slices.SortedFunc(slices.Values(all), func(a, b Artifact) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(a.Data), a.Name)
	}
	return out.Bytes()
}

// Formula returns the Homebrew formula that installs the archives of a version.
func Formula(v Version, all []Artifact) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `class GitResume < Formula
  desc "Continue interrupted work in a git repository"
  homepage "%s"
  version "%s"
  license "MIT"

  depends_on "git"
`, homepage, v.Number)
	for _, system := range []struct{ os, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		fmt.Fprintf(&out, "\n  %s do\n", system.block)
		for _, processor := range []struct{ arch, block string }{{"arm64", "on_arm"}, {"amd64", "on_intel"}} {
			name := fmt.Sprintf("git-resume-%s-%s-%s.tar.gz", v.Number, system.os, processor.arch)
			for _, a := range all {
				if a.Name == name {
					fmt.Fprintf(&out, "    %s do\n      url \"%s/releases/download/v%s/%s\"\n      sha256 \"%x\"\n    end\n",
						processor.block, homepage, v.Number, name, sha256.Sum256(a.Data))
				}
			}
		}
		out.WriteString("  end\n")
	}
	out.WriteString(`
  def install
    bin.install "git-resume"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/git-resume.bash" => "git-resume"
    zsh_completion.install "completions/_git-resume"
    fish_completion.install "completions/git-resume.fish"
    (share/"fish/vendor_conf.d").install "completions/git-resume-conf.fish" => "git-resume.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/git-resume version")
  end
end
`)
	return out.Bytes()
}
