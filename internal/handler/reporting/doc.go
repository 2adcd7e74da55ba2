// Package reporting takes reports about tasks: started, done, failed, answered, saved.
package reporting
