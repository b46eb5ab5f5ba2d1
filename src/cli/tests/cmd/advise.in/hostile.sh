# Advises on keys with characters of a terminal and of HTML.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    printf '\033[31m<script>alert(1)</script>|x\n'
done > hostile
fluo advise --html page.html hostile | grep -e 31m -e "$(printf '\033')"
grep -c -e '<script' -e "$(printf '\033')" page.html
grep -o '[^>]*alert[^<]*' page.html
