./simulate -f html --only time -p zen4 -V mfence -V none tests/golden/cost.yaml | sed -e "s/sha256-[^']*'/HASH'/g" -e '/<style>/,/<\/style>/d' -e '/^<script>/,/<\/script>/d'
