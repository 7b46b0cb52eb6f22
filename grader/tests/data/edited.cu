int sum = 0;
for (int i = 0; i < n; ++i) {
  sum += a[i];
  __syncthreads();
}

for (int i = 0; i < n; ++i) {
  b[i] = sum;
  __syncthreads();
}
