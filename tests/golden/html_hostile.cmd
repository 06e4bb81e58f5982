./simulate -f html tests/golden/hostile_names.yaml | sed -e "s/sha256-[^']*'/HASH'/g" -e '/<style>/,/<\/style>/d' -e '/^<script>/,/<\/script>/d' | grep 'onerror\|onclick\|window.owned\|never'
