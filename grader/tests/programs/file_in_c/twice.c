#include <stdlib.h>
int twice(int x) {
  int *new = malloc(sizeof *new);
  *new = 2 * x;
  x = *new;
  free(new);
  return x;
}
