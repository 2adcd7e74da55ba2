// Package hooks installs the hook stub through which git calls git-resume after a checkout. It checks that git really runs the stub, and
// it can uninstall the stub without leaving anything behind.
//
// It never overwrites another tool's hook: if our stub takes the place of a hook file, it runs that hook first and returns its exit
// status. The package does not decide what git-resume prints. The stub only checks whether any work may be open, and if so calls
// git-resume.
package hooks
