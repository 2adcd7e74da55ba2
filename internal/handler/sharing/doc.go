// Package sharing tries what a remote must be able to do, so that the record of a run can be kept there.
package sharing
