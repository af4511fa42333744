package kill_test

// witnessMutants are what the rows of other files do not show of the witnesses.
func witnessMutants() []mutant {
	return []mutant{
		{name: "huge dimensions are a fault of the server", with: "faults: {dimensions-above: {status: 503}}",
			shows: "witnesses/go-error=repeats witnesses/python-error=repeats witnesses/node-error=repeats", also: []coupling{
				{"dimensions/above-native asks for them, too", "dimensions/above-native=failed-5xx status_codes/client-faults-are-4xx=some-5xx"},
			}},
		{name: "huge dimensions are refused with 409", with: "faults: {dimensions-above: {status: 409}}",
			shows: "witnesses/go-error=repeats witnesses/python-error=repeats witnesses/node-error=repeats", also: []coupling{
				{"dimensions/above-native asks for them, too", "dimensions/above-native=rejected-4xx-retried status_codes/client-faults-are-4xx=some-retried"},
			}},
		{name: "base64 refused, to SDKs", with: "encoding: {base64: refused}",
			shows: "witnesses/python-default=raises witnesses/node-default=raises witnesses/python-batch=raises witnesses/node-batch=raises", also: []coupling{
				{"base64 is what these checks ask for", "encoding_format/base64-is-string=rejected-4xx encoding_format/base64-batch=rejected-4xx encoding_format/base64-bytes=not-offered encoding_format/node-sdk-default=raises"},
			}},
	}
}
