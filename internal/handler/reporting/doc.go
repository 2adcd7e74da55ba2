// Package reporting records reports about tasks: started, done, failed, answered, saved.
package reporting
