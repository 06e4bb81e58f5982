./simulate -f html tests/golden/sb.yaml | sed -e "s/sha256-[^']*'/HASH'/g" -e '/<style>/,/<\/style>/d' -e '/^<script>/,/<\/script>/d'
