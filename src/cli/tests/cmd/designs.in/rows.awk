# Prints 4,000 pages of 400 hosts, as the rows of a kind. Two fifths of them are on one host.
BEGIN {
    for (n = 0; n < 4000; n++) {
        host = n % 5 < 2 ? "www.acme.com" : "h" n % 400 ".example"
        if (kind == "fields") print host "\t" n
        else if (kind == "times") print host "/" n "|" 1696744051903 + n
        else print "https://" host "/" n
    }
}
