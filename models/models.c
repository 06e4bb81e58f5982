/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of ordering models. */
#include <string.h>

#include "models/model.h"

static const struct model *const models[] = {&model_sc, &model_tso, &model_x86};

const struct model *model_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}
