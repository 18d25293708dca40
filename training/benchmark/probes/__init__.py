"""Commands that measure a property of a metric other than its agreement with people."""
